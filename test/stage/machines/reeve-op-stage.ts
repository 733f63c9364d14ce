import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { askHelper } from '../../../server/hosts/reeve-op/ask.ts'
import { localDoor } from '../../../server/hosts/reeve-op/door.ts'
import { encodeRequest, type HelperRequest } from '../../../server/hosts/reeve-op/encode-request.ts'
import { operate } from '../../../server/hosts/reeve-op/operate.ts'
import { readAnswer } from '../../../server/hosts/reeve-op/read-answer.ts'
import type { Operation, OperationOutcome } from '../../../server/modules/machine-operation.ts'
import { openRootMachine, type RootMachine, type Shell, whyNoShell } from './root-machine.ts'

const LIMIT_MS = 600_000
export const SHELLS: readonly Shell[] = ['dash', 'bash', 'busybox']
/** A signal that never aborts. */
export const NEVER = new AbortController().signal

/** What the tests of reeve-op ask it, on a machine that is there for all tests of a `describe`, whose hooks this adds. */
export interface ReeveOpStage {
  /** One request, one answer; null: it was cut off. */
  ask(request: HelperRequest, id?: string): Promise<OperationOutcome | null>
  /** As Reeve does it. */
  run(operation: Operation, op_id?: string): Promise<OperationOutcome>
  /** Any bytes, as latin1. */
  raw(text: string): Promise<string>
}

/** @param use is given the machine before the first test @param make puts its files there */
export function stageReeveOp(
  use: (machine: RootMachine) => void,
  make?: (folder: string) => Promise<string | null>,
): ReeveOpStage {
  let scratch: string
  let machine: RootMachine
  let missing: string | null = null
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'reeve-op-'))
    const opened = await openRootMachine(join(scratch, 'machine'), make)
    if (typeof opened === 'string') return void (missing = opened)
    machine = opened
    use(machine)
  }, LIMIT_MS)
  afterAll(async () => {
    await machine?.[Symbol.asyncDispose]()
    await rm(scratch, { recursive: true, force: true })
  })
  beforeEach(async ({ skip }) => {
    if (missing !== null) return skip(missing)
    await machine.useShell('dash')
  })
  const exchange = (request: Buffer): Promise<Buffer> => askHelper(localDoor(machine.socket), request, NEVER)
  return {
    ask: async (request, id = newId()) => readAnswer(await exchange(encodeRequest(id, request))),
    run: (operation, op_id = newId()) =>
      operate(localDoor(machine.socket), operation, { op_id, deadline_ms: 120_000 }, NEVER),
    raw: async (text) => (await exchange(Buffer.from(text, 'latin1'))).toString(),
  }
}

/** Runs the tests of a `describe` with this shell, with a folder of its own that the list allows. */
export function withShell(shell: Shell, machine: () => RootMachine): void {
  const missing = whyNoShell(shell)
  beforeEach(async ({ skip }) => {
    if (missing !== null) return skip(missing)
    await machine().useShell(shell)
    machine().sh('rm -rf /etc/toy && mkdir /etc/toy')
    await machine().allow('allow file /etc/toy', 'check /etc/toy/checked /bin/grep -q good /etc/toy/checked')
  })
}

export function newId(): string {
  return randomBytes(16).toString('hex')
}
export function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
/** An outcome to expect. */
export function refused(why: string): unknown {
  return expect.objectContaining({ kind: 'refused', why })
}
export function ended(exit_code: number): unknown {
  return expect.objectContaining({ kind: 'ended', exit_code })
}
export function writing(path: string, before: string, content: string): Operation {
  return { op: 'file', action: 'write', path, if_hash: hash(before), content: Buffer.from(content) }
}
