import { createHash } from 'node:crypto'
import type { ToolChange } from '../../../server/chat/ports/tools.ts'
import type { ToolContext } from '../../tool.ts'

export type Change = NonNullable<ToolContext['change']>

export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

/** A change of something that has no bytes, as text of its state before and after. `final`: nothing takes it back. */
export function stateChange(
  { target, name }: { readonly target: string; readonly name: string },
  before: string,
  after: string,
  { final = false } = {},
): ToolChange {
  return {
    target,
    name,
    before_hash: sha256(before),
    after_hash: sha256(after),
    before: final ? null : Buffer.from(before).toString('base64'),
    after: Buffer.from(after).toString('base64'),
  }
}

/** What a change was before, as text. @throws {Error} with a sentence when it was not kept */
export function stateBefore({ name, before }: Change): string {
  if (before === null) throw new Error(`What ${name} was before is not known, so it cannot be taken back.`)
  return Buffer.from(before, 'base64').toString()
}

/** @throws {Error} with a sentence when it is not as the change left it */
export function mustBeAsLeft({ name, after_hash }: Change, now: string): void {
  if (sha256(now) !== after_hash)
    throw new Error(`${name} was changed since, so it was left as it is: its newest change would be lost.`)
}

/** @throws {Error} when it is not as the approved preview saw it */
export function mustBeAsShown({ state }: ToolContext, now: string, what: string): void {
  if (state !== undefined && state !== now)
    throw new Error(`${what} is not as it was when this was approved, so nothing was done.`)
}
