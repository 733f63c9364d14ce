import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { LOCAL_HOST } from '../../contract/host-values.ts'
import type { HostSummary } from '../../contract/host-figures.ts'
import { classNames } from '../parts/class-names.ts'
import { Button } from '../parts/controls/button.tsx'
import { Status } from '../parts/feedback/status.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { Section } from '../parts/layout/section.tsx'
import { formatBytes, formatNumber } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { type MachineProblem, problemsOf, worstFirst } from './machine-rank.ts'

/** The worst of many; the others are one click away. */
const SHOWN = 12
const UNWELL: readonly MachineProblem[] = ['unreachable', 'key_changed', 'disk', 'services']
const COLUMNS = 'lg:grid lg:grid-cols-[minmax(8rem,1fr)_minmax(10rem,2fr)_6rem_9rem_11rem] lg:items-center lg:gap-x-4'

interface MachineTableProps {
  readonly machines: readonly HostSummary[]
  /** Only administrators have the machines' pages. */
  readonly admin: boolean
}

/** All machines, a line each with its figures, the worst first. */
export function MachineTable({ machines, admin }: MachineTableProps) {
  const [all, setAll] = useState(false)
  const sorted = worstFirst(machines)
  const unwell = machines.filter((machine) => problemsOf(machine).length > 0).length
  const shown = all ? sorted : sorted.slice(0, SHOWN)
  return (
    <Section
      title={t('machines.title')}
      actions={
        <p className="text-muted tabular text-sm">
          {t('machines.count', { total: formatNumber(machines.length), unwell: formatNumber(unwell) })}
        </p>
      }
    >
      <Panel>
        <div aria-hidden className={classNames('text-muted border-line hidden border-b px-4 py-1.5 text-sm', COLUMNS)}>
          <span>{t('machines.machine')}</span>
          <span>{t('machines.state')}</span>
          <span className="text-end">{t('machines.load')}</span>
          <span className="text-end">{t('machine.memory')}</span>
          <span className="text-end">{t('machine.disk')}</span>
        </div>
        <ul aria-label={t('machines.title')} className="divide-line divide-y">
          {shown.map((machine) => (
            <MachineLine key={machine.host_id} machine={machine} admin={admin} />
          ))}
        </ul>
      </Panel>
      {sorted.length > shown.length && (
        <Button className="mt-3" onClick={() => setAll(true)}>
          {t('machines.all', { total: formatNumber(sorted.length) })}
        </Button>
      )}
    </Section>
  )
}

function MachineLine({ machine, admin }: { readonly machine: HostSummary; readonly admin: boolean }) {
  const { host_id, figures, disabled, state } = machine
  const name = host_id === LOCAL_HOST ? t('audit.host_this') : machine.name
  const problems = problemsOf(machine)
  const old = state !== 'ok' || disabled
  return (
    <li className={classNames('hover:bg-hover relative px-4 py-1.5', COLUMNS)}>
      <div className="min-w-0 truncate font-medium">
        {admin ? (
          <Link
            to="/admin/$page"
            params={{ page: 'hosts' }}
            search={{ host: host_id }}
            className="before:absolute before:inset-0 focus-visible:outline-none focus-visible:before:outline-2 focus-visible:before:-outline-offset-2"
          >
            {name}
          </Link>
        ) : (
          name
        )}
      </div>
      <MachineCondition machine={machine} problems={problems} />
      {figures !== null && !old && (
        <dl className="text-muted tabular flex flex-wrap gap-x-4 text-sm lg:contents">
          <Figure name={t('machines.load')} bad={problems.includes('load')}>
            {figures.load === null
              ? '–'
              : figures.cores === null
                ? decimal(figures.load)
                : t('machines.load_of', { load: decimal(figures.load), cores: formatNumber(figures.cores) })}
          </Figure>
          <Figure name={t('machine.memory')} bad={problems.includes('memory')}>
            {figures.memory === null
              ? '–'
              : t('machines.share_of', { share: percent(figures.memory), total: formatBytes(figures.memory.total) })}
          </Figure>
          <Figure name={t('machine.disk')} bad={problems.includes('disk')}>
            {figures.disk === null
              ? '–'
              : t('machines.share_on', { share: percent(figures.disk), path: figures.disk.path })}
          </Figure>
        </dl>
      )}
    </li>
  )
}

interface FigureProps {
  readonly name: string
  readonly bad: boolean
  readonly children: string
}

function Figure({ name, bad, children }: FigureProps) {
  return (
    <div className="min-w-0 lg:text-end">
      <dt className="me-1 inline lg:sr-only">{name}</dt>
      <dd
        className={classNames('inline lg:block lg:truncate', bad ? 'text-danger font-medium' : 'text-ink')}
        title={children}
      >
        {children}
      </dd>
    </div>
  )
}

function MachineCondition({
  machine,
  problems,
}: {
  readonly machine: HostSummary
  readonly problems: readonly MachineProblem[]
}) {
  const { disabled, looking, state, figures } = machine
  if (disabled) return <Status tone="neutral" label={t('hosts.state_disabled')} />
  const [worst] = problems
  if (worst === undefined) {
    if (looking) return <Status tone="active" label={t('hosts.checking')} moving />
    return state === null && figures === null ? (
      <Status tone="neutral" label={t('hosts.state_unchecked')} />
    ) : (
      <Status tone="ok" label={t('hosts.state_ok')} />
    )
  }
  const tone = UNWELL.includes(worst) ? 'danger' : worst === 'restart' || worst === 'key_unknown' ? 'info' : 'warn'
  const words = problems.map((problem) => wordsFor(problem, machine))
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-3">
      {words.map((label, at) => (
        <Status key={label} tone={at === 0 ? tone : 'neutral'} label={label} className="whitespace-normal!" />
      ))}
      {state !== null && state !== 'ok' && <span className="text-muted text-sm">{t(`hosts.why_${state}`)}</span>}
    </div>
  )
}

function wordsFor(problem: MachineProblem, { figures }: HostSummary): string {
  switch (problem) {
    case 'disk':
      return t('machines.problem_disk', { path: figures!.disk!.path, share: percent(figures!.disk!) })
    case 'services':
      return t('machines.problem_services', { count: formatNumber(figures!.failed_services ?? 0) })
    case 'memory':
    case 'load':
    case 'restart':
      return t(`machines.problem_${problem}`)
    default:
      return t(`hosts.state_${problem}`)
  }
}

function percent({ used, total }: { readonly used: number; readonly total: number }): string {
  return formatNumber(used / total, { style: 'percent', maximumFractionDigits: 0 })
}

function decimal(value: number): string {
  return formatNumber(value, { maximumFractionDigits: 1 })
}
