import type { Notice } from '../../../contract/chat.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'

const DETAIL = '{detail}'

/**
 * What a run says about itself in its answer. The pages have the same texts under these codes; `{detail}` stands for
 * the detail.
 */
export const NOTICE_TEXTS = {
  step_limit: ['warn', say`Stopped at the limit of steps for one answer. Send another message to continue from here.`],
  answer_cut: ['warn', say`The answer reached the model’s length limit and ends here.`],
  answer_filtered: ['warn', say`The engine withheld this answer.`],
  empty_answer: ['warn', say`The model returned an empty answer.`],
  rate_limited: ['info', say`The engine is limiting requests and asked to wait.`],
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
  run_not_approved: ['info', say`Not approved, so nothing was run.`],
  ai_unavailable: ['error', say`The AI engine is not responding.`],
  run_failed: ['error', say`Something went wrong on the server. The answer so far was kept.`],
  quota_used_up: ['warn', say`The quota is used up. The answer so far was kept.`],
  not_permitted: ['error', say`You no longer have permission to run this.`],
} as const satisfies Record<string, readonly [Notice['level'], Sentence]>

type NoticeCode = keyof typeof NOTICE_TEXTS

/** A notice as stored, with its English text; `noticeIn` translates it for the reader. */
export function runNotice(code: NoticeCode, detail: string | null = null): Notice {
  const level = NOTICE_TEXTS[code][0]
  return { level, code, text: textOf(code, detail, 'en'), detail }
}

/** A stored notice in the reader's language. One with an unknown code keeps its stored text. */
export function noticeIn(notice: Notice, language: string): Notice {
  const { code, detail } = notice
  return isKnown(code) ? { ...notice, text: textOf(code, detail, language) } : notice
}

function textOf(code: NoticeCode, detail: string | null, language: string): string {
  return NOTICE_TEXTS[code][1].in(language).replace(DETAIL, () => detail ?? '')
}

function isKnown(code: string): code is NoticeCode {
  return Object.hasOwn(NOTICE_TEXTS, code)
}
