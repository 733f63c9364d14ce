import { Link, type LinkProps } from '@tanstack/react-router'
import { useAskAbout } from '../chat/asking/use-ask-about.ts'
import { useToMessageBox } from '../chat/composer/use-to-message-box.ts'
import type { Dashboard, MachineState } from '../../contract/dashboard.ts'
import { classNames } from '../parts/class-names.ts'
import { formatBytes, formatNumber, formatRelative } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { type FigureFacts, figureText } from './figure-text.ts'
import { Sparkline } from './sparkline.tsx'

/** Shares and days from which a figure is shown as a warning. */
const BUSY = 0.9
const FULL = 0.9
const OLD_BACKUP = 7 * 86_400_000

interface Tile extends FigureFacts {
  readonly bad?: boolean
  /** Without an engine, or where nothing can be attached: the tool that tells more, or the page that does. */
  readonly instead: string | LinkProps
}

interface MachineStripProps {
  readonly machine: MachineState
  readonly engine: Dashboard['engine']
  /** Unfinished runs of everybody. */
  readonly runs: number
}

/** The machine in figures, each with its last day; a click asks about it, with the figure and its day attached. */
export function MachineStrip(state: MachineStripProps) {
  const { engine } = state
  const toMessageBox = useToMessageBox()
  const ask = useAskAbout().text
  return (
    <section aria-label={t('machine.title')}>
      <ul className="border-line bg-line grid grid-cols-2 gap-px overflow-hidden rounded-lg border sm:grid-cols-3 lg:auto-cols-fr lg:grid-flow-col lg:grid-cols-none">
        {tilesOf(state).map((tile) => {
          const { name, instead } = tile
          const asks = engine.ai_mode === 'model' && ask !== null
          const act = (): void => {
            if (asks) void ask({ name: `${t(name)}.txt`, text: figureText(tile) })
            else if (typeof instead === 'string') toMessageBox({ text: instead, target: 'new', send: false })
          }
          const look = 'hover:bg-hover block h-full w-full px-3 pt-2 pb-1.5 text-start focus-visible:-outline-offset-2'
          return (
            <li
              key={name}
              className="bg-surface min-w-0 max-sm:[&:last-child:nth-child(odd)]:col-span-2 sm:max-lg:[&:last-child:nth-child(3n+2)]:col-span-2"
            >
              {!asks && typeof instead !== 'string' ? (
                <Link {...instead} className={look}>
                  <Figure tile={tile} />
                </Link>
              ) : (
                <button type="button" onClick={act} title={t('machine.ask')} className={look}>
                  <Figure tile={tile} />
                </button>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function Figure({ tile: { name, value, note, bad = false, line } }: { readonly tile: Tile }) {
  return (
    <>
      <span className="text-muted block truncate text-sm">{t(name)}</span>
      <span className={classNames('tabular block truncate text-lg leading-7 font-semibold', bad && 'text-danger')}>
        {value}
      </span>
      <span className="text-muted tabular block h-5 truncate text-sm">{note}</span>
      <span className="mt-1 block h-6">{line && <Sparkline {...line} />}</span>
    </>
  )
}

function tilesOf({ machine, engine, runs }: MachineStripProps): Tile[] {
  const { cpu, memory, disk, failed_services: failed, backup_at, backup_failed_at: unsaved, lines } = machine
  const tiles: (Tile | null)[] = [
    {
      name: 'machine.cpu',
      value: cpu === null ? '–' : percent(cpu),
      note: dayNote(lines.cpu),
      bad: cpu !== null && cpu > BUSY,
      line: { values: lines.cpu, most: 1 },
      instead: '/system.cpu ',
    },
    memory && {
      name: 'machine.memory',
      value: percent(memory.used / memory.total),
      note: t('machine.of', { used: formatBytes(memory.used), total: formatBytes(memory.total) }),
      bad: memory.used / memory.total > BUSY,
      line: { values: lines.memory, most: 1 },
      instead: '/system.memory ',
    },
    disk && {
      name: 'machine.disk',
      value: percent(disk.used / disk.total),
      note: t('machine.free_on', { free: formatBytes(disk.total - disk.used), path: disk.path }),
      bad: disk.used / disk.total > FULL,
      line: { values: lines.disk, most: 1 },
      instead: '/system.disks ',
    },
    failed === null
      ? null
      : {
          name: 'machine.services',
          value: formatNumber(failed),
          note: failed === 0 ? t('machine.services_none') : '',
          bad: failed > 0,
          line: { values: lines.failed_services, most: Math.max(1, ...known(lines.failed_services)) },
          instead: '/system.services state=failed',
        },
    {
      name: 'machine.backup',
      value: backup_at === null ? t('machine.backup_never') : formatRelative(backup_at),
      note: unsaved ? t('machine.backup_failed', { time: formatRelative(unsaved) }) : '',
      bad: Boolean(unsaved) || (backup_at !== null && Date.now() - Date.parse(backup_at) > OLD_BACKUP),
      instead: { to: '/help', search: { chapter: 'operation' }, hash: 'backup' },
    },
    {
      name: 'machine.engine',
      value: engine.model ?? t('machine.engine_none'),
      note: t('machine.runs', { count: runs }),
      line: { values: lines.runs, most: Math.max(1, ...known(lines.runs)) },
      instead: { to: '/admin/$page', params: { page: 'ai' } },
    },
  ]
  return tiles.filter((tile) => tile !== null)
}

/** The mean of a day. */
function dayNote(values: readonly (number | null)[]): string {
  const all = known(values)
  return all.length === 0 ? '' : t('machine.mean', { value: percent(all.reduce((a, b) => a + b) / all.length) })
}

function known(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null)
}

function percent(share: number): string {
  return formatNumber(share, { style: 'percent', maximumFractionDigits: share < 0.1 ? 1 : 0 })
}
