import { z } from 'zod'
import type { ToolChange, ToolPreview } from '../../../server/chat/ports/tools.ts'
import type { FileOperation } from '../../../server/modules/machine-operation.ts'
import { operationId } from '../../../server/modules/operation-id.ts'
import { textOf, unifiedDiff } from '../../../server/kernel/text/unified-diff.ts'
import type { MachineContext } from '../machine-tool.ts'
import { doOperation } from './do-operation.ts'
import { CONTENT_BYTES, type FileState, managedMarks, packageOf, readFileState, seenOf } from './file-state.ts'
import { operationTools } from './operation-tools.ts'
import { type Change, mustBeAsLeft, mustBeAsShown, sha256, stateBefore, stateChange } from './state-change.ts'

const DEADLINE_MS = 180_000
const ACTIONS = ['write', 'create', 'delete', 'mode', 'owner'] as const
type Action = (typeof ACTIONS)[number]
/** Characters of a diff; of a longer one only the sizes are shown. */
const DIFF_LENGTH = 900_000

interface Input {
  readonly path: string
  readonly action: Action
  readonly content?: string | undefined
  readonly mode?: string | undefined
  readonly owner?: string | undefined
}

export const fileTools = operationTools({
  name: 'file',
  title: 'Change a file',
  description:
    'Changes one file of the system as root by the helper reeve-op: write (the whole new "content" of a file that is there), create, delete, mode or owner. Shows first the difference, ' +
    'the package that owns it and whether something else manages it; whoever changes the file meanwhile keeps their version. Where a check is known (nginx -t …) a file that it refuses is put back. Can be ' +
    'taken back. Prefer it to echo, sed or tee in run_command.',
  effect: 'destructive',
  summary: 'Has the file {path} changed: {action}[, mode {mode}][, owner {owner}]',
  main_argument: 'path',
  deadline_ms: DEADLINE_MS + 20_000,
  undoable: true,
  input: z.strictObject({
    path: z
      .string()
      .max(400)
      .regex(/^(?:\/[A-Za-z0-9@%+=:,._~-]+)+$/),
    action: z.enum(ACTIONS),
    content: z
      .string()
      .max(CONTENT_BYTES)
      .optional()
      .describe('Of write and create: all that is in the file afterwards'),
    mode: z
      .string()
      .regex(/^0?[0-7]{3}$/)
      .optional()
      .describe('Octal, such as 644: of mode, and of create'),
    owner: z
      .string()
      .regex(/^[a-z_][a-z0-9_-]{0,31}:[a-z_][a-z0-9_-]{0,31}$/)
      .optional()
      .describe('user:group: of owner, and of create'),
  }),
  async preview(input, { machine, signal }) {
    checkInput(input)
    const before = await readFileState(machine, input.path, signal)
    operationOf(input, before)
    const owned = before === null ? '' : await packageOf(machine, input.path, signal)
    return { state: seenOf(before), parts: partsOf(input, before, owned) }
  },
  async run(input, context) {
    const { machine, signal } = context
    checkInput(input)
    const before = await readFileState(machine, input.path, signal)
    mustBeAsShown(context, seenOf(before), input.path)
    const done = await doOperation(context, operationOf(input, before), DEADLINE_MS)
    if (!done.ok) return { text: done.text, failed: true }
    return { text: `${done.text}\n${input.path}: ${input.action} is done.`, changes: [changeOf(input, before)] }
  },
  async verify(input, { machine, signal }) {
    const now = await readFileState(machine, input.path, signal)
    const expected = expectedOf(input)
    const found =
      now === null
        ? 'no file'
        : { write: now.hash, create: now.hash, delete: now.hash, mode: now.mode, owner: now.owner }[input.action]
    return { ok: found === expected, expected, found }
  },
})

/** @throws {Error} with a sentence when action and arguments do not fit */
function checkInput({ path, action, content, mode, owner }: Input): void {
  if (path.split('/').some((part) => part === '.' || part === '..')) throw new Error('There is . or .. in the path.')
  const writes = action === 'write' || action === 'create'
  if (writes !== (content !== undefined))
    throw new Error(writes ? `${action} needs "content".` : `${action} takes no "content".`)
  if (content !== undefined && Buffer.byteLength(content) > CONTENT_BYTES)
    throw new Error('"content" has more than 1 MiB.')
  if (action === 'mode' && mode === undefined) throw new Error('mode needs "mode".')
  if (action === 'owner' && owner === undefined) throw new Error('owner needs "owner".')
  if (mode !== undefined && action !== 'mode' && action !== 'create') throw new Error(`${action} takes no "mode".`)
  if (owner !== undefined && action !== 'owner' && action !== 'create') throw new Error(`${action} takes no "owner".`)
}

function octal(mode: string): string {
  return mode.replace(/^0+(?=.)/, '')
}

/** @throws {Error} with a sentence when there is a file where there should be none, or the other way round */
function operationOf({ path, action, content = '', mode, owner }: Input, before: FileState | null): FileOperation {
  const bytes = Buffer.from(content)
  if (action === 'create') {
    if (before !== null) throw new Error(`There is a file ${path} already; use write to change it.`)
    return { op: 'file', action, path, content: bytes, ...(mode && { mode }), ...(owner && { owner }) }
  }
  if (before === null) throw new Error(`There is no file ${path}.`)
  const if_hash = before.hash
  if (action === 'write') {
    if (before.bytes.equals(bytes)) throw new Error(`${path} has exactly this content already.`)
    return { op: 'file', action, path, if_hash, content: bytes }
  }
  if (action === 'delete') return { op: 'file', action, path, if_hash }
  return action === 'mode'
    ? { op: 'file', action, path, if_hash, mode: mode ?? '' }
    : { op: 'file', action, path, if_hash, owner: owner ?? '' }
}

function partsOf({ path, action, content, mode, owner }: Input, before: FileState | null, owned: string) {
  const old = before?.bytes ?? null
  const about = [
    before === null
      ? 'There is no such file now.'
      : `Now: mode ${before.mode}, owner ${before.owner}, ${before.bytes.length} bytes`,
    // What reeve-op gives a new file if nothing is said.
    ...(action === 'create' ? [`Then: mode ${octal(mode ?? '644')}, owner ${owner ?? 'root:root'}`] : []),
    ...(action === 'mode' ? [`Then: mode ${octal(mode ?? '')}`] : []),
    ...(action === 'owner' ? [`Then: owner ${owner ?? ''}`] : []),
    ...(owned === '' ? [] : [`It belongs to the package ${owned}.`]),
    ...managedMarks(old ?? Buffer.alloc(0)).map((line) => `It says: ${line}`),
  ]
  const list: ToolPreview['parts'][number] = { kind: 'list', title: `${path}: ${action}`, text: about.join('\n') }
  if (action === 'mode' || action === 'owner') return [list]
  return [diffPart(path, old, action === 'delete' ? null : Buffer.from(content ?? '')), list]
}

function diffPart(path: string, before: Buffer | null, after: Buffer | null): ToolPreview['parts'][number] {
  const [old, now] = [before, after].map((bytes) => (bytes === null ? '' : textOf(bytes)))
  const diff = old == null || now == null ? null : unifiedDiff(old, now)
  if (diff !== null && diff !== '' && diff.length <= DIFF_LENGTH) return { kind: 'diff', title: path, text: diff }
  const size = (bytes: Buffer | null) => (bytes === null ? 'no file' : `${bytes.length} bytes`)
  return { kind: 'list', title: path, text: `${size(before)} → ${size(after)}${diff === null ? ', not text' : ''}` }
}

function expectedOf({ action, content = '', mode = '', owner = '' }: Input): string {
  return { write: sha256(content), create: sha256(content), delete: 'no file', mode: octal(mode), owner }[action]
}

function changeOf({ path, action, content = '', mode, owner }: Input, before: FileState | null): ToolChange {
  if (before !== null && (action === 'mode' || action === 'owner')) {
    const after = action === 'mode' ? octal(mode ?? '') : (owner ?? '')
    return stateChange({ target: `file-${action}:${path}`, name: `${path} (${action})` }, before[action], after)
  }
  const after = action === 'delete' ? null : Buffer.from(content)
  return fileChange(path, before?.bytes ?? null, after)
}

function fileChange(path: string, before: Buffer | null, after: Buffer | null): ToolChange {
  const kept = (bytes: Buffer | null) => ({ hash: bytes && sha256(bytes), text: bytes?.toString('base64') ?? null })
  const [old, now] = [kept(before), kept(after)]
  const hashes = { before_hash: old.hash, after_hash: now.hash }
  return { target: `file:${path}`, name: path, ...hashes, before: old.text, after: now.text }
}

/** What takes a change of a file back, whose bytes, or mode or owner, must be as the change left them. */
export async function undoFile(change: Change, { machine, signal }: MachineContext) {
  const [kind, path] = splitTarget(change.target)
  const now = await readFileState(machine, path, signal)
  const attribute = kind === 'file-mode' ? 'mode' : kind === 'file-owner' ? 'owner' : null
  if (attribute !== null) {
    if (now === null) throw new Error(`${path} is not there any more.`)
    mustBeAsLeft(change, now[attribute])
    const before = stateBefore(change)
    const operation: FileOperation =
      attribute === 'mode'
        ? { op: 'file', action: 'mode', path, if_hash: now.hash, mode: before.padStart(3, '0') }
        : { op: 'file', action: 'owner', path, if_hash: now.hash, owner: before }
    return {
      what: `${path}: ${attribute} ${before}`,
      state: seenOf(now),
      operation,
      parts: [{ kind: 'plan' as const, title: path, text: `${attribute}: ${now[attribute]} → ${before}` }],
      change: stateChange({ target: change.target, name: change.name }, now[attribute], before),
      async check(until: AbortSignal) {
        const found = await readFileState(machine, path, until)
        return found?.[attribute] === before ? null : `${attribute} ${found?.[attribute] ?? 'of no file'}`
      },
    }
  }
  if ((now?.hash ?? null) !== change.after_hash)
    throw new Error(`${path} was changed since, so it was left as it is: its newest change would be lost.`)
  if (change.before_hash !== null && change.before === null) throw new Error(`What was in ${path} was not kept.`)
  const before = change.before === null ? null : Buffer.from(change.before, 'base64')
  return {
    what: `${path} as it was before`,
    state: seenOf(now),
    operation: backTo(change, path, before, now),
    parts: [diffPart(path, now?.bytes ?? null, before)],
    change: fileChange(path, now?.bytes ?? null, before),
    async check(until: AbortSignal) {
      const found = (await readFileState(machine, path, until))?.hash ?? null
      return found === change.before_hash ? null : (found ?? 'no file')
    },
  }
}

/**
 * A file that is there gets its former bytes, and keeps the mode and owner that it may have been given since. One that is
 * gone comes back from the helper's copy, with everything it had.
 */
function backTo({ tool_call_id }: Change, path: string, before: Buffer | null, now: FileState | null): FileOperation {
  if (now !== null && before !== null) return { op: 'file', action: 'write', path, if_hash: now.hash, content: before }
  if (now !== null) return { op: 'file', action: 'delete', path, if_hash: now.hash }
  return { op: 'file', action: 'restore', path, if_hash: null, backup: operationId(tool_call_id) }
}

function splitTarget(target: string): [string, string] {
  const colon = target.indexOf(':')
  return [target.slice(0, colon), target.slice(colon + 1)]
}
