import { randomBytes } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import type { OperationOutcome } from '../../modules/machine-operation.ts'
import { askHelper } from '../../hosts/reeve-op/ask.ts'
import { DoorShut, HELPER_SOCKET, type HelperDoor, localDoor } from '../../hosts/reeve-op/door.ts'
import { encodeRequest, type HelperRequest } from '../../hosts/reeve-op/encode-request.ts'
import { readAnswer } from '../../hosts/reeve-op/read-answer.ts'
import { HELPER, readHelperFiles, sha256 } from '../../hosts/reeve-op/shipped-files.ts'
import { helperDifferences } from '../reeve-op/install.ts'
import { attempt, type Check, fail, ok, warn } from './check.ts'

const INSTALL = 'sudo reeve helper install'
const ASK_MS = 30_000
/** What must be refused whatever the list says, and by which rule. The hash keeps even a false reeve-op from doing it. */
const NO_HASH = '0'.repeat(64)
const FORBIDDEN: readonly {
  readonly what: string
  readonly why: string
  readonly request: HelperRequest | 'doctor'
}[] = [
  {
    what: 'writing /etc/shadow',
    why: 'protected',
    request: { op: 'file', action: 'write', path: '/etc/shadow', if_hash: NO_HASH, content: new Uint8Array() },
  },
  { what: 'an operation that does not exist', why: 'unknown_op', request: 'doctor' },
  {
    what: 'a unit that the list does not name',
    why: 'not_allowed',
    request: { op: 'service', action: 'reload', unit: 'no-unit-of-this-name.service' },
  },
]

/** Whether reeve-op, which does as root what its list allows, is as shipped, reachable, and refuses what it must. */
export async function helperChecks(door: HelperDoor = localDoor()): Promise<Check[]> {
  const parts = await Promise.all([HELPER.program, HELPER_SOCKET].map((path) => lstat(path).catch(() => null)))
  if (parts.every((part) => part === null))
    return [ok('helper', `It is not installed: nothing here can be changed as root. ${INSTALL} would install it.`)]
  const reached = await attempt('helper', 'systemctl status reeve-op.socket', () => hello(door))
  return [
    await attempt('helper files', 'Check them manually.', files),
    reached,
    ...(reached.status === 'ok' ? [await attempt('helper refuses', `${INSTALL}, at once.`, () => refusals(door))] : []),
  ]
}

async function files(): Promise<Check> {
  const different = await helperDifferences()
  return different.length === 0
    ? ok('helper files', 'Its files belong to root alone, and are as this version ships them.')
    : fail('helper files', different.join(' '), `${INSTALL}; the list is left as it is.`)
}

async function hello(door: HelperDoor): Promise<Check> {
  let outcome
  try {
    outcome = await ask(door, { op: 'hello' })
  } catch (error) {
    if (!(error instanceof DoorShut)) throw error
    const fix = 'Start its socket (systemctl start reeve-op.socket), and run this as the account of the service.'
    return fail('helper', `It cannot be asked: ${error.message}.`, fix)
  }
  const [uid, program, ...list] = outcome.kind === 'ended' ? outcome.text.split('\n') : []
  if (uid !== 'uid 0') return fail('helper', `It does not answer as root: ${JSON.stringify(outcome)}.`, INSTALL)
  if (program !== `program ${sha256((await readHelperFiles()).program)}`)
    return fail('helper', 'What answers is not the program that this version ships.', INSTALL)
  const allowed = list.map((line) => line.trim().replaceAll(/\s+/g, ' ')).filter((line) => line.startsWith('allow '))
  if (allowed.length === 0) return ok('helper', `It answers as root, and ${HELPER.list} allows nothing.`)
  const message = `It answers as root, and may do: ${allowed.map((line) => line.slice(6)).join('; ')}.`
  return allowed.some((line) => /^allow (journal |power )*command( |$)/.test(line))
    ? warn('helper', message, `"allow command" is root: anything. Leave it out of ${HELPER.list} unless that is meant.`)
    : ok('helper', message)
}

async function refusals(door: HelperDoor): Promise<Check> {
  for (const { what, why, request } of FORBIDDEN) {
    const outcome = await ask(door, request)
    if (outcome.kind !== 'refused' || outcome.why !== why)
      return fail('helper refuses', `It did not refuse ${what}: ${JSON.stringify(outcome)}.`, `${INSTALL}, at once.`)
  }
  return ok('helper refuses', `It refuses ${FORBIDDEN.map(({ what }) => what).join(', ')}.`)
}

async function ask(door: HelperDoor, request: HelperRequest | 'doctor'): Promise<OperationOutcome> {
  const id = randomBytes(16).toString('hex')
  const bytes = request === 'doctor' ? Buffer.from(`reeve-op 1\nid ${id}\ndoctor\n\n`) : encodeRequest(id, request)
  const answer = await askHelper(door, bytes, AbortSignal.timeout(ASK_MS))
  return readAnswer(answer) ?? { kind: 'missing', text: 'Its answer was cut off.' }
}
