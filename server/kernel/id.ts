import { randomBytes } from 'node:crypto'

export const ID_PREFIXES = {
  addition: 'add',
  user: 'usr',
  role: 'rol',
  rule: 'rul',
  session: 'ses',
  token: 'tok',
  passkey: 'psk',
  conversation: 'cnv',
  folder: 'fld',
  message: 'msg',
  queued: 'que',
  run: 'run',
  step: 'stp',
  toolCall: 'tcl',
  approval: 'apr',
  grant: 'grt',
  elevation: 'elv',
  handover: 'hnd',
  file: 'fil',
  change: 'chg',
  command: 'cmd',
  routine: 'rtn',
  fire: 'fir',
  hook: 'hok',
  procedure: 'pcd',
  engine: 'eng',
  host: 'hst',
  sshKey: 'key',
  channel: 'chn',
  noticeRule: 'nrl',
  outbox: 'obx',
  notice: 'ntc',
  process: 'prc',
  watch: 'wat',
  crossing: 'crs',
  oauth: 'oac',
} as const

// Crockford's base 32 in lower case: sorts like the number, no look-alikes.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

let lastTime = 0
let lastSequence = 0

/**
 * A new id: prefix, `_`, 10 characters of time in milliseconds, 2 that keep the order within a millisecond, 16 random
 * ones (80 bits). Ids of one process sort in the order of creation.
 */
export function newId(kind: keyof typeof ID_PREFIXES): string {
  const now = Date.now()
  if (now > lastTime) {
    lastTime = now
    lastSequence = 0
  } else if (++lastSequence === 1024) {
    lastTime++
    lastSequence = 0
  }
  let random = ''
  for (const byte of randomBytes(16)) random += ALPHABET[byte & 31]
  return `${idAt(kind, lastTime)}${ALPHABET[lastSequence >> 5]}${ALPHABET[lastSequence & 31]}${random}`
}

/** The beginning of ids made at that time (epoch milliseconds): all later ones sort after it. */
export function idAt(kind: keyof typeof ID_PREFIXES, at: number): string {
  let time = ''
  for (let rest = at, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = ALPHABET[rest % 32] + time
  return `${ID_PREFIXES[kind]}_${time}`
}

/** A secret for cookies, tokens and links: 256 random bits, URL-safe. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}
