import { z } from 'zod'
import type { UserOperation } from '../../../server/modules/machine-operation.ts'
import type { ToolChange } from '../../../server/chat/ports/tools.ts'
import type { MachineContext } from '../machine-tool.ts'
import { doOperation } from './do-operation.ts'
import { operationTools } from './operation-tools.ts'
import { type Change, mustBeAsShown, sha256, stateBefore, stateChange } from './state-change.ts'
import { readUser, type UserState } from './user-state.ts'

const DEADLINE_MS = 180_000
const ACTIONS = ['create', 'lock', 'unlock', 'groups', 'ungroup', 'key', 'unkey', 'delete'] as const
type Action = (typeof ACTIONS)[number]
const Word = z.string().regex(/^[a-z_][a-z0-9_-]{0,31}$/)
const WHAT: Readonly<Record<Action, string>> = {
  create: 'The account is made, with a home and without a password.',
  lock: 'Nobody can sign in to the account any more, by password or key. What runs goes on.',
  unlock: 'The account can be signed in to again.',
  groups: 'The account is put into these groups.',
  ungroup: 'The account is taken out of these groups.',
  key: 'Whoever has this key can sign in to the account.',
  unkey: 'This key does not count any more.',
  delete: 'The account is deleted.',
}
/** What takes an action back, where something does. */
const INVERSE: Partial<Record<Action, 'lock' | 'unlock' | 'groups' | 'ungroup' | 'key' | 'unkey'>> = {
  lock: 'unlock',
  unlock: 'lock',
  groups: 'ungroup',
  ungroup: 'groups',
  key: 'unkey',
  unkey: 'key',
}

interface Input {
  readonly name: string
  readonly action: Action
  readonly groups: readonly string[]
  readonly key?: string | undefined
  readonly remove_home: boolean
}

export const userTools = operationTools({
  name: 'user',
  title: 'Change an account of the system',
  description:
    'Creates, locks, unlocks or deletes an account of a person on the machine, puts it into groups or takes it out of them, or adds or removes an SSH key, as root by the helper ' +
    'reeve-op. Never accounts of the system or of somebody who can become root. Shows first its groups and what runs as it. Prefer it to useradd and usermod in run_command.',
  effect: 'destructive',
  summary:
    'Has the account {name} of the machine changed: {action}[, groups {groups}][, key {key}][ with its home{?remove_home}]',
  main_argument: 'name',
  deadline_ms: DEADLINE_MS + 20_000,
  undoable: true,
  input: z.strictObject({
    name: Word,
    action: z.enum(ACTIONS),
    groups: z.array(Word).max(20).default([]).describe('Of groups, ungroup and create'),
    key: z
      .string()
      .max(2000)
      .regex(/^[a-z0-9@.-]+ [A-Za-z0-9+/=]+(?: [A-Za-z0-9@._ -]*)?$/)
      .optional()
      .describe('A public key in one line, of key and unkey'),
    remove_home: z.boolean().default(false).describe('Of delete: with all files in its home'),
  }),
  async preview(input, context) {
    const state = await look(input, context)
    const groups = input.groups.length === 0 ? [] : [`Groups: ${input.groups.join(', ')}`]
    const key = input.key === undefined ? [] : [input.key]
    const home = input.remove_home
      ? [`All that is in ${state?.home ?? 'its home'} is deleted, and cannot be restored.`]
      : []
    const now =
      state === null
        ? 'There is no such account now.'
        : [
            `Number ${state.uid}, home ${state.home}, shell ${state.shell}`,
            `Groups now: ${state.groups.join(', ')}`,
            state.processes.length === 0 ? 'Nothing runs as it.' : `${state.processes.length} processes run as it:`,
            ...state.processes.slice(0, 50),
          ].join('\n')
    return {
      state: seenOf(state),
      parts: [
        {
          kind: 'plan',
          title: `${input.name}: ${input.action}`,
          text: [WHAT[input.action], ...groups, ...key, ...home].join('\n'),
        },
        { kind: 'list', title: input.name, text: now },
      ],
    }
  },
  async run(input, context) {
    const before = await look(input, context)
    mustBeAsShown(context, seenOf(before), `The account ${input.name}`)
    const done = await doOperation(context, operationOf(input), DEADLINE_MS)
    return { text: done.text, failed: !done.ok, changes: done.ok ? [changeOf(input, before)] : [] }
  },
  async verify({ name, action, groups }, { machine, signal }) {
    const state = await readUser(machine, name, signal)
    if (action === 'create' || action === 'delete') {
      const ok = (state !== null) === (action === 'create')
      return {
        ok,
        expected: action === 'create' ? `an account ${name}` : `no account ${name}`,
        found: state === null ? 'none' : `number ${state.uid}`,
      }
    }
    if (action !== 'groups' && action !== 'ungroup')
      throw new Error('Only root can see that, so only its own exit code says whether it took.')
    const within = groups.filter((group) => state?.groups.includes(group) === true)
    return {
      ok: within.length === (action === 'groups' ? groups.length : 0),
      expected: `${action === 'groups' ? 'in' : 'not in'} ${groups.join(', ')}`,
      found: state?.groups.join(', ') ?? 'no such account',
    }
  },
})

/** The account as it is. @throws {Error} with a sentence when the arguments do not fit it */
async function look({ name, action, groups, key, remove_home }: Input, { machine, signal }: MachineContext) {
  const state = await readUser(machine, name, signal)
  if (action === 'create' && state !== null) throw new Error(`There is an account ${name} already.`)
  if (action !== 'create' && state === null) throw new Error(`There is no account ${name} on this machine.`)
  const grouping = action === 'groups' || action === 'ungroup'
  if (grouping && groups.length === 0) throw new Error(`${action} needs "groups".`)
  if (!grouping && action !== 'create' && groups.length > 0) throw new Error(`${action} takes no "groups".`)
  if ((action === 'key' || action === 'unkey') !== (key !== undefined))
    throw new Error(key === undefined ? `${action} needs "key".` : `${action} takes no "key".`)
  if (remove_home && action !== 'delete') throw new Error(`${action} takes no "remove_home".`)
  return state
}

/** Processes come and go. */
function seenOf(state: UserState | null): string {
  return state === null ? 'nothing' : sha256(`${state.uid} ${state.home} ${state.shell} ${state.groups.join(' ')}`)
}

function operationOf({ name, action, groups, key = '', remove_home }: Input): UserOperation {
  switch (action) {
    case 'create':
    case 'groups':
    case 'ungroup':
      return { op: 'user', action, name, groups }
    case 'key':
    case 'unkey':
      return { op: 'user', action, name, key }
    case 'lock':
    case 'unlock':
      return { op: 'user', action, name }
    case 'delete':
      return { op: 'user', action, name, remove_home }
  }
}

/** Kept is what takes it back: only groups that it was not in are left again. */
function changeOf({ name, action, groups, key }: Input, before: UserState | null): ToolChange {
  const moved = groups.filter((group) => (before?.groups.includes(group) === true) === (action === 'ungroup'))
  const inverse = INVERSE[action]
  const final = inverse === undefined || ((action === 'groups' || action === 'ungroup') && moved.length === 0)
  const target = { target: `user:${name}`, name: `${name} (${action})` }
  const back = JSON.stringify({ action: inverse, groups: moved, key })
  return stateChange(target, back, JSON.stringify({ action, groups, key }), { final })
}

const Back = z.object({
  action: z.enum(['lock', 'unlock', 'groups', 'ungroup', 'key', 'unkey']),
  groups: z.array(Word).default([]),
  key: z.string().optional(),
})

/** What takes a change of an account back. */
export async function undoUser(change: Change, context: MachineContext) {
  const { machine } = context
  const name = change.target.slice('user:'.length)
  const { action, groups, key } = Back.parse(JSON.parse(stateBefore(change)))
  const input: Input = { name, action, groups, key, remove_home: false }
  const state = await look(input, context)
  const within = groups.filter((group) => state?.groups.includes(group) === true)
  if (within.length !== (action === 'ungroup' ? groups.length : 0))
    throw new Error(`The groups of ${name} were changed since, so they were left as they are.`)
  const what = `${name}: ${action}${groups.length === 0 ? '' : ` ${groups.join(', ')}`}`
  return {
    what,
    state: seenOf(state),
    operation: operationOf(input),
    parts: [
      { kind: 'plan' as const, title: what, text: [WHAT[action], ...(key === undefined ? [] : [key])].join('\n') },
    ],
    change: stateChange({ target: change.target, name: change.name }, '', stateBefore(change), { final: true }),
    async check(until: AbortSignal) {
      if (groups.length === 0) return null
      const found = await readUser(machine, name, until)
      const left = groups.filter((group) => found?.groups.includes(group) === (action === 'ungroup'))
      return left.length === 0 ? null : `groups ${found?.groups.join(', ') ?? 'of no account'}`
    },
  }
}
