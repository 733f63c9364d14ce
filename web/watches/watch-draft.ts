import { INSTALLATION_FIGURES } from '../../contract/watch-limits.ts'
import type { WatchSource } from '../../contract/watch-values.ts'
import type { ArgumentField } from '../arguments/argument-fields.ts'
import { argumentsOf, type ArgumentsDraft, newArgumentsDraft } from '../arguments/arguments-draft.ts'
import type { Watch } from './watches-query.ts'
import type { Figure } from './watch-words.ts'

type Machines = WatchSource['machines']
type Filter = Extract<WatchSource, { kind: 'table' }>['where'][number]
type Tell = NonNullable<Watch['action']['tell']>

/** A watch while it is being written: texts as they are typed. */
export interface WatchDraft {
  readonly name: string
  /** A figure, or `table`. */
  readonly what: Figure | 'table'
  /** `all`, `local`, `h:<host_id>` or `t:<tag>`. */
  readonly machines: string
  /** `<module>.<tool>`. */
  readonly tool: string
  readonly args: ArgumentsDraft
  /** Empty: the number of rows. */
  readonly column: string
  readonly key: string
  readonly match: 'none' | 'any' | 'all'
  readonly where: readonly Filter[]
  readonly is: Watch['condition']['is']
  readonly bound: string
  readonly back: string
  readonly for_min: string
  readonly interval_s: number
  /** Empty: nobody. Else `me`, `administrators`, `r:<role_id>`, `c:<channel_id>` or `p:<user_id>`. */
  readonly tell: string
  readonly on_recovery: boolean
  readonly repeat_s: number | null
  readonly routine_id: string
  readonly shared: boolean
}

export type WatchFault = 'name' | 'tool' | 'args' | 'bound' | 'back' | 'for_min'
/** What is wrong with arguments is said with each of them. */
export type SaidFault = Exclude<WatchFault, 'args'>

export function watchDraftOf(watch: Watch | null): WatchDraft {
  if (watch === null)
    return {
      ...NO_TABLE,
      name: '',
      what: 'disk_used',
      machines: 'local',
      is: 'above',
      bound: '90',
      back: '',
      for_min: '5',
      interval_s: 300,
      tell: 'me',
      on_recovery: false,
      repeat_s: null,
      routine_id: '',
      shared: false,
    }
  const { source, condition, action } = watch
  const table =
    source.kind === 'figure'
      ? NO_TABLE
      : {
          tool: `${source.module}.${source.tool}`,
          args: newArgumentsDraft(source.arguments),
          column: source.column ?? '',
          key: source.key ?? '',
          match: source.match,
          where: source.where,
        }
  return {
    ...table,
    name: watch.name,
    what: source.kind === 'figure' ? source.figure : 'table',
    machines: machinesValue(source.machines),
    is: condition.is,
    bound: String(condition.bound),
    back: condition.back === null ? '' : String(condition.back),
    for_min: String(condition.for_s / 60),
    interval_s: watch.interval_s,
    tell: tellValue(action.tell),
    on_recovery: action.on_recovery,
    repeat_s: action.repeat_s,
    routine_id: action.routine_id ?? '',
    shared: watch.shared,
  }
}

const NO_TABLE = { tool: '', args: newArgumentsDraft({}), column: '', key: '', match: 'none', where: [] } as const

export function isInstallation(what: WatchDraft['what']): boolean {
  return what !== 'table' && INSTALLATION_FIGURES.includes(what)
}

/** `fields`: of the tool's arguments, where it is known what it takes. */
export function watchFaults(
  draft: WatchDraft,
  fields: readonly Pick<ArgumentField, 'name' | 'required'>[],
): ReadonlySet<WatchFault> {
  const faults = new Set<WatchFault>()
  if (draft.name.trim() === '') faults.add('name')
  if (draft.what === 'table') {
    if (draft.tool === '') faults.add('tool')
    const args = argumentsOf(draft.args)
    // What JSON lacks, the server says.
    const asked = draft.args.json === null ? fields.filter(({ required }) => required) : []
    if (args === null || asked.some(({ name }) => !Object.hasOwn(args, name))) faults.add('args')
  }
  const bound = numberIn(draft.bound)
  const text = draft.what === 'table' && draft.is === 'equals'
  if (bound === null && !text) faults.add('bound')
  const back = numberIn(draft.back)
  const given = draft.back.trim() !== '' && draft.is !== 'equals'
  if (given && (back === null || (bound !== null && (draft.is === 'above' ? back > bound : back < bound))))
    faults.add('back')
  const minutes = numberIn(draft.for_min)
  if (minutes === null || minutes < 0 || minutes > 10_080) faults.add('for_min')
  return faults
}

/** What it looks at, and when that counts; only without faults. */
export function sourceOf(draft: WatchDraft): Pick<Watch, 'source' | 'condition'> {
  const bound = numberIn(draft.bound)
  const back = draft.is === 'equals' ? null : numberIn(draft.back)
  const condition = {
    is: draft.is,
    bound: bound ?? draft.bound.trim(),
    back,
    for_s: Math.round(Number(draft.for_min) * 60),
  }
  const machines = isInstallation(draft.what) ? { of: 'local' as const } : machinesOf(draft.machines)
  if (draft.what !== 'table') return { condition, source: { kind: 'figure', figure: draft.what, machines } }
  const dot = draft.tool.indexOf('.')
  const where = draft.where.filter(({ column }) => column !== '')
  return {
    condition,
    source: {
      kind: 'table',
      module: draft.tool.slice(0, dot),
      tool: draft.tool.slice(dot + 1),
      arguments: { ...argumentsOf(draft.args) },
      machines,
      column: draft.column === '' ? null : draft.column,
      key: draft.column === '' || draft.key === '' ? null : draft.key,
      match: where.length === 0 ? 'none' : draft.match === 'none' ? 'all' : draft.match,
      where: [...where],
    },
  }
}

export function actionOf(draft: WatchDraft): Watch['action'] {
  return {
    tell: tellOf(draft.tell),
    on_recovery: draft.on_recovery,
    repeat_s: draft.repeat_s,
    routine_id: draft.routine_id === '' || draft.shared ? null : draft.routine_id,
  }
}

function machinesValue(machines: Machines): string {
  switch (machines.of) {
    case 'host':
      return `h:${machines.host_id}`
    case 'tag':
      return `t:${machines.tag}`
    default:
      return machines.of
  }
}

function machinesOf(value: string): Machines {
  if (value.startsWith('h:')) return { of: 'host', host_id: value.slice(2) }
  if (value.startsWith('t:')) return { of: 'tag', tag: value.slice(2) }
  return { of: value === 'all' ? 'all' : 'local' }
}

function tellValue(tell: Tell | null): string {
  if (tell === null) return ''
  switch (tell.to) {
    case 'role':
      return `r:${tell.role_id}`
    case 'channel':
      return `c:${tell.channel_id}`
    case 'people':
      return `p:${tell.user_ids.join()}`
    default:
      return tell.to
  }
}

function tellOf(value: string): Tell | null {
  if (value === '') return null
  const id = value.slice(2)
  if (value.startsWith('r:')) return { to: 'role', role_id: id }
  if (value.startsWith('c:')) return { to: 'channel', channel_id: id }
  if (value.startsWith('p:')) return { to: 'people', user_ids: id.split(',') }
  return { to: value === 'administrators' ? 'administrators' : 'me' }
}

function numberIn(text: string): number | null {
  const number = Number(text.trim().replace(',', '.'))
  return text.trim() === '' || !Number.isFinite(number) ? null : number
}
