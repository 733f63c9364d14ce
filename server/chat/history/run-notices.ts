import type { Notice } from '../../../contract/chat.ts'
import { say, Sentence } from '../../kernel/sentence.ts'
import { iso } from '../../kernel/time.ts'
import type { EngineError } from '../ports/model.ts'

const DETAIL = '{detail}'
const SECONDS = '{seconds}'

/**
 * What a run says about itself in its answer. The pages have the same texts under these codes; `{detail}` stands for
 * the detail.
 */
export const NOTICE_TEXTS = {
  step_limit: ['warn', say`Stopped at the limit of steps for one answer. Send another message to continue from here.`],
  answer_cut: ['warn', say`The answer reached the model’s length limit and ends here.`],
  answer_filtered: ['warn', say`The engine withheld this answer.`],
  call_malformed: ['warn', say`The model tried to call a tool, but the call could not be read.`],
  empty_answer: ['warn', say`The model returned an empty answer.`],
  engine_gone: ['info', say`The chosen engine is not available any more. ${DETAIL} answers instead.`],
  engine_fallback: ['info', say`The engine failed. ${DETAIL} answers instead.`],
  engine_no_tools: [
    'info',
    say`The model ${DETAIL} takes no tools: it answers from what it knows and what is in the conversation.`,
  ],
  engine_no_pictures: ['info', say`Pictures that the model ${DETAIL} does not take were left out.`],
  engine_pictures_refused: [
    'info',
    say`Pictures that tools returned were left out, because the engine refused the request with them.`,
  ],
  rate_limited: ['info', say`The engine asked to wait before it answered.`],
  engine_again: ['info', say`The engine failed before it said anything, and was asked again.`],
  context_compacted: [
    'info',
    say`Earlier messages were summarised, because the conversation no longer fits the model.`,
  ],
  results_shortened: [
    'info',
    say`Earlier tool results in this answer were shortened for the model, because they no longer fit.`,
  ],
  run_interrupted: [
    'warn',
    say`The service stopped in the middle of this answer. The text so far was kept; nothing is repeated automatically.`,
  ],
  outcome_unknown: [
    'error',
    say`A call was in progress when it stopped. Whether it took effect is unknown: check before you repeat it.`,
  ],
  command_ended: ['warn', say`${DETAIL} was still running when the service stopped, and was terminated.`],
  run_cancelled: ['info', say`Stopped.`],
  over_time: ['warn', say`Stopped: the time for one run of this routine is over.`],
  over_tokens: ['warn', say`Stopped: the tokens for one run of this routine are used up.`],
  over_calls: ['warn', say`Stopped: the number of calls for one run of this routine is reached.`],
  run_not_approved: ['info', say`Not approved, so nothing was run.`],
  ai_unavailable: ['error', say`The AI engine is not responding.`],
  run_failed: ['error', say`Something went wrong on the server. The answer so far was kept.`],
  quota_used_up: ['warn', say`The quota is used up. The answer so far was kept.`],
  procedure_stopped: ['error', say`The procedure stopped. ${DETAIL}`],
  not_permitted: ['error', say`You no longer have permission to run this.`],
  engine_key: ['error', say`The provider refused the key`],
  engine_no_key: ['error', say`The engine has no key`],
  engine_quota: ['error', say`The account at the provider has no credit left`],
  engine_rate: ['error', say`The provider asks to wait`],
  engine_context: ['error', say`The conversation is too long for the model`],
  engine_model: ['error', say`The provider does not know the model`],
  engine_network: ['error', say`No engine answers at this address`],
  engine_redirect: ['error', say`The engine’s address leads elsewhere`],
  engine_cut: ['error', say`The engine was cut off`],
  engine_timeout: ['error', say`The engine did not answer in time`],
  engine_answer: ['error', say`The engine’s answer could not be used`],
  engine_error: ['error', say`The provider reports an error of its own`],
  engine_refused: ['error', say`The provider refused the request`],
} as const satisfies Record<string, readonly [Notice['level'], Sentence]>

/** Says that the pictures of an answer before it are not sent again, and nothing about its model. */
export const PICTURES_REFUSED = 'engine_pictures_refused' satisfies keyof typeof NOTICE_TEXTS

/** The same where the notice has `seconds`. */
const TIMED_TEXTS: Partial<Record<string, Sentence>> = {
  rate_limited: say`The provider asks to wait ${SECONDS} s`,
  engine_again: say`The engine failed and is asked again in ${SECONDS} s`,
  engine_rate: say`The provider asks to wait ${SECONDS} s`,
  engine_timeout: say`No answer for ${SECONDS} s`,
}

type NoticeCode = keyof typeof NOTICE_TEXTS

/** A notice as stored, with its English text; `noticeIn` translates it for the reader. */
export function runNotice(code: NoticeCode, detail: string | null = null): Notice {
  const level = NOTICE_TEXTS[code][0]
  return { level, code, text: textOf({ code, detail }, 'en'), detail }
}

/** The notice about an engine that failed. Its detail is what the provider or the network said, in the owner's language. */
export function failureNotice({ code, said, retryAfter, waited }: EngineError, language: string): Notice {
  const words = said instanceof Sentence ? said.in(language) : said
  const seconds = code === 'engine_rate' ? retryAfter : code === 'engine_timeout' ? waited : null
  const notice = {
    ...runNotice(code, words === '' ? null : words),
    ...(seconds !== null && { seconds }),
    ...(code === 'engine_rate' && seconds !== null && { retry_at: inSeconds(seconds) }),
  }
  return { ...notice, text: textOf(notice, 'en') }
}

/** The notice about an engine that a run waits for, `seconds` from now on; of one that failed, with what it said. */
export function waitNotice({ code, said }: EngineError, seconds: number, language: string): Notice {
  const words = said instanceof Sentence ? said.in(language) : said
  const base =
    code === 'engine_rate' ? runNotice('rate_limited') : runNotice('engine_again', words === '' ? null : words)
  const notice = { ...base, seconds, retry_at: inSeconds(seconds) }
  return { ...notice, text: textOf(notice, 'en') }
}

function inSeconds(seconds: number): string {
  return iso(Date.now() + seconds * 1000)
}

/** A stored notice in the reader's language. One with an unknown code keeps its stored text. */
export function noticeIn(notice: Notice, language: string): Notice {
  return isKnown(notice.code) ? { ...notice, text: textOf(notice, language) } : notice
}

function textOf({ code, detail, seconds }: Pick<Notice, 'code' | 'detail' | 'seconds'>, language: string): string {
  const timed = seconds === undefined ? undefined : TIMED_TEXTS[code]
  const text = timed ?? NOTICE_TEXTS[code as NoticeCode][1]
  return text
    .in(language)
    .replace(SECONDS, () => String(seconds))
    .replace(DETAIL, () => detail ?? '')
}

function isKnown(code: string): code is NoticeCode {
  return Object.hasOwn(NOTICE_TEXTS, code)
}
