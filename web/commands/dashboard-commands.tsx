import { useQuery } from '@tanstack/react-query'
import { Zap } from 'lucide-react'
import { openOverlay } from '../shell/frame/overlay.ts'
import { t } from '../text/i18n.ts'
import { Button } from '../parts/controls/button.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { Section } from '../parts/layout/section.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { commandsQuery } from './commands-query.ts'
import { byLastUse } from './last-used.ts'
import { useRunCommand } from './use-run-command.ts'

const SHOWN = 8

/** The quick commands as buttons, last used first. */
export function DashboardCommands() {
  const query = useQuery(commandsQuery)
  const run = useRunCommand()
  return (
    <Section
      title={t('commands.title')}
      actions={
        (query.data?.items.length ?? 0) > 0 && (
          <button
            type="button"
            onClick={() => openOverlay({ kind: 'commands' })}
            className="font-medium text-accent underline-offset-2 hover:underline"
          >
            {t('commands.all')}
          </button>
        )
      }
    >
      <QueryView query={query} failed={t('commands.load_failed')} loading={<SkeletonRows rows={1} className="h-9" />}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="text-muted">
              {t('commands.empty_text')}{' '}
              <button
                type="button"
                onClick={() => openOverlay({ kind: 'edit_command', command: null, back: false })}
                className="text-accent font-medium underline-offset-2 hover:underline"
              >
                {t('commands.new')}
              </button>
            </p>
          ) : (
            <ul className="flex flex-wrap gap-2">
              {byLastUse(items)
                .slice(0, SHOWN)
                .map((command) => (
                  <li key={command.command_id} className="max-w-full">
                    <Button
                      onClick={() => run(command)}
                      className="max-w-full shrink!"
                      title={t(`commands.mode_${command.run_mode}_text`)}
                    >
                      <Zap aria-hidden className="size-4 shrink-0 text-muted" />
                      <span className="truncate">{command.name}</span>
                    </Button>
                  </li>
                ))}
            </ul>
          )
        }
      </QueryView>
    </Section>
  )
}
