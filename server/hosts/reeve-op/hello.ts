import { randomBytes } from 'node:crypto'
import type { HostHelper } from '../../../contract/hosts.ts'
import { askHelper } from './ask.ts'
import { DoorShut, type HelperDoor } from './door.ts'
import { encodeRequest } from './encode-request.ts'
import { readAnswer } from './read-answer.ts'
import { readHelperFiles, sha256 } from './shipped-files.ts'

const ASK_MS = 15_000
/** Of a list that somebody else wrote. */
const MOST_LINES = 100
const MOST_CHARACTERS = 300

export type HelperFound = Omit<HostHelper, 'checked_at'>

/** Asks reeve-op who it is, which changes nothing. Null: the connection broke, so nobody knows. Never rejects. */
export async function askHello(door: HelperDoor, signal: AbortSignal): Promise<HelperFound | null> {
  let outcome
  try {
    const request = encodeRequest(randomBytes(16).toString('hex'), { op: 'hello' })
    const ends = AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)])
    outcome = readAnswer(await askHelper(door, request, ends))
  } catch (error) {
    return error instanceof DoorShut ? shut(error) : null
  }
  switch (outcome?.kind) {
    case undefined:
      return null
    case 'ended':
      return readHello(outcome.text, sha256((await readHelperFiles()).program))
    case 'missing':
      return { state: 'missing', problem: short(outcome.text), allows: [] }
    case 'refused':
      return { state: 'refused', problem: short(outcome.text), allows: [] }
    default:
      return { state: 'refused', problem: 'It does not say who it is.', allows: [] }
  }
}

function shut({ message, cause }: DoorShut): HelperFound {
  const { code } = cause as NodeJS.ErrnoException
  // It is there, and this account may not come in.
  const state = code === 'EACCES' || code === 'EPERM' ? 'refused' : 'missing'
  return { state, problem: short(message), allows: [] }
}

/** @param text `uid 0`, `program <sha256>`, and the lines of its list */
function readHello(text: string, shipped: string): HelperFound {
  const [uid = '', program = '', ...list] = text.split('\n')
  const lines = list.map((line) => short(line.trim().replaceAll(/\s+/g, ' ')))
  const allows = lines.filter((line) => line.startsWith('allow ')).map((line) => line.slice('allow '.length))
  const found = { allows: allows.slice(0, MOST_LINES) }
  if (uid !== 'uid 0') return { ...found, state: 'refused', problem: `It does not run as root: ${short(uid)}` }
  if (program !== `program ${shipped}`) return { ...found, state: 'different', problem: null }
  return { ...found, state: 'ok', problem: null }
}

/** What another machine says, without what a terminal or a page would take for more than text. */
function short(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ').slice(0, MOST_CHARACTERS)
}

/** Whether a line amounts to root: any command. Of `allow journal power command`, several share a line. */
export function isRoot(allowed: string): boolean {
  return /^(journal |power )*command( |$)/.test(allowed)
}
