import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Pin } from 'lucide-react'
import { useActiveRun } from '../client/run-cache.ts'
import { t } from '../text/i18n.ts'
import { Panel } from '../parts/layout/panel.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { RelativeTime } from '../parts/feedback/relative-time.tsx'
import { RunState } from '../parts/feedback/run-state.tsx'
import { Section } from '../parts/layout/section.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { recentConversationsQuery } from '../client/queries.ts'

/** Links to the most recent conversations. */
export function RecentConversations() {
  const query = useQuery(recentConversationsQuery)
  return (
    <Section title={t('dashboard.recent')}>
      <QueryView
        query={query}
        failed={t('dashboard.recent_failed')}
        loading={<SkeletonRows rows={4} className="h-9" />}
      >
        {({ items }) =>
          items.length === 0 ? (
            <p className="text-muted">
              {t('dashboard.recent_empty_text')}{' '}
              <Link to="/chat" className="text-accent font-medium underline-offset-2 hover:underline">
                {t('dashboard.start_chat')}
              </Link>
            </p>
          ) : (
            <Panel>
              <ul className="divide-line divide-y">
                {items.map((conversation) => (
                  <li key={conversation.conversation_id}>
                    <Link
                      to="/chat"
                      search={{ c: conversation.conversation_id }}
                      className="hover:bg-hover flex h-9 items-center gap-3 px-3 focus-visible:outline-offset-[-2px]"
                    >
                      {conversation.pinned && <Pin aria-hidden className="text-muted size-3.5 shrink-0" />}
                      <span className="min-w-0 flex-1 truncate">
                        {conversation.title === '' ? t('dashboard.untitled') : conversation.title}
                      </span>
                      <RunIcon conversationId={conversation.conversation_id} />
                      <RelativeTime at={conversation.updated_at} className="text-muted text-sm whitespace-nowrap" />
                    </Link>
                  </li>
                ))}
              </ul>
            </Panel>
          )
        }
      </QueryView>
    </Section>
  )
}

/** State of a conversation's active run, if any. */
function RunIcon({ conversationId }: { readonly conversationId: string }) {
  const run = useActiveRun(conversationId)
  return run && <RunState status={run.status} iconOnly />
}
