import { randomBytes } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import type { OperationOutcome } from '../../modules/machine-operation.ts'
import { askHelper } from '../../hosts/reeve-op/ask.ts'
import { HELPER_SOCKET, type HelperDoor, localDoor } from '../../hosts/reeve-op/door.ts'
import { encodeRequest, type HelperRequest } from '../../hosts/reeve-op/encode-request.ts'
import { askHello, isRoot } from '../../hosts/reeve-op/hello.ts'
import { readAnswer } from '../../hosts/reeve-op/read-answer.ts'
import { HELPER } from '../../hosts/reeve-op/shipped-files.ts'
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
  const own = ownHelper(door)
  const reached = await attempt('helper', 'systemctl status reeve-op.socket', () => hello(own))
  return [
    await attempt('helper files', 'Check them manually.', files),
    reached,
    ...(reached.status !== 'fail'
      ? [await attempt('helper refuses', `${INSTALL}, at once.`, () => refusals(own))]
      : []),
  ]
}

async function files(): Promise<Check> {
  const different = await helperDifferences()
  return different.length === 0
    ? ok('helper files', 'Its files belong to root alone, and are as this version ships them.')
    : fail('helper files', different.join(' '), `${INSTALL}; the list is left as it is.`)
}

/** A way to reeve-op, and how its checks are called and mended. */
export interface AskedHelper {
  readonly door: HelperDoor
  /** Of the checks: `helper`. */
  readonly name: string
  /** What installs it as it should be. */
  readonly install: string
  /** What to do where it cannot be asked. */
  readonly open: string
}

function ownHelper(door: HelperDoor): AskedHelper {
  const open = 'Start its socket (systemctl start reeve-op.socket), and run this as the account of the service.'
  return { door, name: 'helper', install: INSTALL, open }
}

/** Whether it is root's and the program that this version ships, and what it may do. */
export async function hello({ door, name, install, open }: AskedHelper): Promise<Check> {
  const found = await askHello(door, AbortSignal.timeout(ASK_MS))
  if (found === null) return fail(name, 'It gave no answer.', open)
  const { state, problem, allows } = found
  if (state === 'missing' || state === 'refused') return fail(name, `It cannot be asked: ${problem ?? state}.`, open)
  if (state === 'different') return fail(name, 'What answers is not the program that this version ships.', install)
  if (allows.length === 0) return ok(name, `It answers as root, and ${HELPER.list} allows nothing.`)
  const message = `It answers as root, and may do: ${allows.join('; ')}.`
  return allows.some(isRoot)
    ? warn(name, message, `"allow command" is root: anything. Leave it out of ${HELPER.list} unless that is meant.`)
    : ok(name, message)
}

/** Makes sure that it refuses what it must. */
export async function refusals({ door, name: helper, install }: AskedHelper): Promise<Check> {
  const name = `${helper} refuses`
  for (const { what, why, request } of FORBIDDEN) {
    const outcome = await ask(door, request)
    if (outcome.kind !== 'refused' || outcome.why !== why)
      return fail(name, `It did not refuse ${what}: ${JSON.stringify(outcome)}.`, `${install}, at once.`)
  }
  return ok(name, `It refuses ${FORBIDDEN.map(({ what }) => what).join(', ')}.`)
}

async function ask(door: HelperDoor, request: HelperRequest | 'doctor'): Promise<OperationOutcome> {
  const id = randomBytes(16).toString('hex')
  const bytes = request === 'doctor' ? Buffer.from(`reeve-op 1\nid ${id}\ndoctor\n\n`) : encodeRequest(id, request)
  const answer = await askHelper(door, bytes, AbortSignal.timeout(ASK_MS))
  return readAnswer(answer) ?? { kind: 'missing', text: 'Its answer was cut off.' }
}
