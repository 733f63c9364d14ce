import { Link } from '@tanstack/react-router'
import type { Dashboard } from '../../contract/dashboard.ts'
import type { ModuleState as State } from '../../contract/modules.ts'
import { t } from '../text/i18n.ts'
import { ModuleState } from '../modules/list/module-state.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { Section } from '../parts/layout/section.tsx'
import { Status } from '../parts/feedback/status.tsx'

/** Module status: those with problems by name, the others as a count. */
export function ModuleTrouble({ modules }: { readonly modules: NonNullable<Dashboard['modules']> }) {
  const { running, off, trouble } = modules
  return (
    <Section
      title={t('dashboard.modules')}
      actions={
        <Link to="/modules" className="text-accent font-medium underline-offset-2 hover:underline">
          {t('dashboard.modules_all')}
        </Link>
      }
    >
      <Panel className="divide-line divide-y">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3">
          <Status
            tone={trouble.length === 0 ? 'ok' : 'warn'}
            label={t('dashboard.modules_running', { count: running })}
          />
          {off > 0 && <span className="text-muted text-sm">{t('dashboard.modules_off', { count: off })}</span>}
        </p>
        {trouble.length > 0 && (
          <ul className="divide-line divide-y">
            {trouble.map(({ name, title, state }) => (
              <li key={name}>
                <Link
                  to="/modules/$name"
                  params={{ name }}
                  className="hover:bg-hover flex flex-wrap items-center justify-between gap-x-3 px-4 py-2.5 focus-visible:outline-offset-[-2px]"
                >
                  <span className="min-w-0 font-medium break-words">{title}</span>
                  <ModuleState state={state as State} />
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Panel>
    </Section>
  )
}
