import type { Client, ElicitRequest, ElicitResult } from '@modelcontextprotocol/client'
import type { ToolAnswer, ToolQuestion } from '../../chat/ports/tools.ts'
import { cut } from '../../kernel/text/plain-text.ts'
import { boundedCheck } from './bounded-check.ts'
import type { Deadline } from './pausable-deadline.ts'
import { CHECK_MS } from './pinned-tool.ts'
import { readableText } from '../result/readable-text.ts'

/** How long a person may take to answer. */
const ANSWER_MS = 10 * 60_000
const MOST_QUESTIONS = 20
const SCHEMA_LIMIT = 32 * 1024

/** A running call that can ask questions. */
export interface AskingCall {
  readonly deadline: Deadline
  readonly signal: AbortSignal
  /** How many questions it has asked so far. */
  asked: number
  ask(question: ToolQuestion, signal: AbortSignal): Promise<ToolAnswer>
}

/**
 * Answers questions of the module during a call (elicitation, in both eras) by asking the person who made the call.
 * Declines a question that belongs to no call or could belong to several, and one that asks for a secret; `onDeclined`
 * receives the reason. What is returned answers one that says which call it belongs to.
 */
export function answerQuestions(
  client: Client,
  running: ReadonlySet<AskingCall>,
  onDeclined: (reason: string) => void,
): (call: AskingCall, params: ElicitRequest['params']) => Promise<ElicitResult> {
  const decline = (reason: string): ElicitResult => {
    onDeclined(reason)
    return { action: 'decline' }
  }
  async function answer(call: AskingCall, params: ElicitRequest['params'], until?: AbortSignal): Promise<ElicitResult> {
    const question = toQuestion(params)
    if (typeof question === 'string') return decline(question)
    if (++call.asked > MOST_QUESTIONS) return decline('it asks too much in one call')
    const signal = AbortSignal.any([
      call.signal,
      AbortSignal.timeout(ANSWER_MS),
      ...(until === undefined ? [] : [until]),
    ])
    call.deadline.pause()
    try {
      const answer = await Promise.race([call.ask(question, signal), cancelled(signal)])
      if (answer.action !== 'accept') return { action: answer.action }
      if (question.kind === 'url') return { action: 'accept' }
      const problem = boundedCheck(question.schema, 'question', CHECK_MS)(answer.content)
      return problem === null
        ? { action: 'accept', content: { ...answer.content } }
        : decline(`the answer does not fit: ${problem}`)
    } finally {
      call.deadline.resume()
    }
  }
  client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
    // The protocol does not say which call a question belongs to.
    const [call, another] = running
    if (call === undefined) return decline('it belongs to no call')
    if (another !== undefined) return decline('several calls run, so it is not clear who should be asked')
    return answer(call, params, mcpReq.signal)
  })
  return answer
}

/** The question to ask, or why it is declined. */
function toQuestion(params: ElicitRequest['params']): ToolQuestion | string {
  const message = cut(readableText(params.message), 4000)
  if (params.mode === 'url') {
    const url = URL.canParse(params.url) ? new URL(params.url) : null
    if (url === null || !['http:', 'https:'].includes(url.protocol)) return 'its address is none that can be opened'
    if (url.username !== '' || url.password !== '') return 'its address hides where it leads'
    // Parsing turns a host name in other scripts into `xn--…`.
    return { kind: 'url', message, url: url.href }
  }
  const schema: Record<string, unknown> = { ...params.requestedSchema }
  if (JSON.stringify(schema).length > SCHEMA_LIMIT) return 'its form is too large'
  if (asksForSecret(message, schema)) return 'it asks for a secret, which belongs into the settings'
  return { kind: 'form', message, schema }
}

function cancelled(signal: AbortSignal): Promise<ToolAnswer> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve({ action: 'cancel' })
    signal.addEventListener('abort', () => resolve({ action: 'cancel' }), { once: true })
  })
}

const SURE =
  /pass(?:word|wort|phrase|code|wd)|contraseña|пароль|口令|密码|\b(?:api|access|private|secret|auth)[ _-]?(?:key|token)\b/i
/** In a sentence these words may mean anything, as the name of a field only one thing. */
const NAMES = /\b(?:secret|token|credentials?|cvv|otp|pin)\b/i

/** Whether a module's form seems to ask for a secret: those belong in its settings, where they are kept sealed. */
export function asksForSecret(message: string, schema: Record<string, unknown>): boolean {
  if (SURE.test(message)) return true
  const properties = schema['properties']
  if (properties === null || typeof properties !== 'object') return false
  return Object.entries(properties).some(([name, field]: [string, unknown]) => {
    const { title, description, format, writeOnly } = (field ?? {}) as Record<string, unknown>
    if (format === 'password' || writeOnly === true) return true
    // `apiKey` and `api_key` as separate words.
    const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ')
    const names = [words, title].filter((text) => typeof text === 'string')
    return names.some((text) => NAMES.test(text) || SURE.test(text)) || SURE.test(String(description))
  })
}
