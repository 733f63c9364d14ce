import type { OperationOutcome, RefusalReason } from '../../modules/machine-operation.ts'

const REASONS: readonly RefusalReason[] = [
  'syntax',
  'unknown_op',
  'not_allowed',
  'protected',
  'path',
  'hash',
  'plan',
  'backup',
  'missing',
]

const ANSWERS = ['ok', 'refused', 'failed', 'running', 'busy']

/** What an answer of reeve-op says; `missing` when it is not one: a shell's, or sudo's. Null when it was cut off. */
export function readAnswer(bytes: Buffer): OperationOutcome | null {
  const text = bytes.toString('utf8')
  const [first = '', second = '', third] = text.split('\n', 3)
  // Every answer has two lines.
  if (third === undefined && ANSWERS.some((answer) => `${answer}\n`.startsWith(text.slice(0, answer.length + 1))))
    return null
  const rest = text.slice(first.length + 1)
  const said = (line: string): string => rest.slice(line.length + 1).trimEnd()
  switch (first) {
    case 'busy':
      return { kind: 'busy' }
    case 'running':
      return { kind: 'running', text: rest.trimEnd() }
    case 'ok':
    case 'failed': {
      const code = /^exit (\d{1,3})$/.exec(second)
      if (code !== null) return { kind: 'ended', exit_code: Number(code[1]), text: said(second) }
      if (first === 'ok') return { kind: 'ended', exit_code: 0, text: rest.trimEnd() }
      if (second.startsWith('never: ')) return refusal(rest)
      return { kind: 'interrupted', text: rest.replace(/^interrupted: /, '').trimEnd() }
    }
    case 'refused':
      return refusal(rest)
    default:
      return { kind: 'missing', text: text.trimEnd() }
  }
}

function refusal(text: string): OperationOutcome {
  const [word = ''] = text.split(': ', 1)
  if (word === 'never') return { kind: 'lost', lost: 'not_started', message: text.slice(word.length + 2).trimEnd() }
  const why = REASONS.find((each) => each === word)
  return {
    kind: 'refused',
    why: why ?? 'other',
    text: (why === undefined ? text : text.slice(word.length + 2)).trimEnd(),
  }
}
