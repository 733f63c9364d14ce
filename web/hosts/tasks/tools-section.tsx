import { useQuery } from '@tanstack/react-query'
import { MessageSquare } from 'lucide-react'
import { useToMessageBox } from '../../chat/composer/use-to-message-box.ts'
import { Button } from '../../parts/controls/button.tsx'
import { EffectBadge } from '../../parts/feedback/effect-badge.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { Status } from '../../parts/feedback/status.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { t } from '../../text/i18n.ts'
import type { HostSectionProps } from './host-section.ts'
import { callLine, hostToolsQuery } from './look-query.ts'

const TONE = { allow: 'ok', ask: 'warn', deny: 'neutral' } as const

/** The tools that work on this machine, and what the rules say of each here. */
export function ToolsSection({ host }: HostSectionProps) {
  const toMessageBox = useToMessageBox()
  const query = useQuery(hostToolsQuery(host))
  return (
    <QueryView
      query={query}
      failed={t('hosts.tools_failed')}
      loading={<SkeletonRows rows={8} className="h-12 rounded-lg" />}
    >
      {({ items }) => (
        <Panel>
          {items.length === 0 ? (
            <p className="text-muted px-4 py-6 text-center">{t('hosts.tool_off')}</p>
          ) : (
            <ul aria-label={t('hosts.tab_tools')} className="divide-line divide-y">
              {items.map(({ tool, title, effect, policy, reason }) => (
                <li key={tool} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
                  <div className="min-w-0 flex-1 basis-60">
                    <p className="flex flex-wrap items-center gap-x-2">
                      <span className="font-medium">{title}</span>
                      <code className="text-muted text-xs">system.{tool}</code>
                      <EffectBadge effect={effect} />
                    </p>
                    {policy === 'deny' && <p className="text-muted text-sm break-words">{reason}</p>}
                  </div>
                  <Status tone={TONE[policy]} label={t(`hosts.policy_${policy}`)} />
                  <Button
                    size="sm"
                    icon={MessageSquare}
                    disabled={policy === 'deny'}
                    onClick={() => toMessageBox({ text: callLine(host, tool, {}), target: 'new', send: false })}
                  >
                    {t('hosts.tool_use')}
                    <span className="sr-only"> {title}</span>
                  </Button>
                </li>
              ))}
            </ul>
          )}
        </Panel>
      )}
    </QueryView>
  )
}
