import type { Notice } from '../../contract/chat.ts'

/** What a run says about itself in the answer. `code` names the text in the catalogues; this is its English. */
export const NOTICE_TEXTS = {
  step_limit: ['warn', 'Stopped after the largest number of steps for one answer. Ask again to go on from here.'],
  answer_cut: ['warn', 'The answer reached the longest that the model gives and ends here.'],
  answer_filtered: ['warn', 'The engine held this answer back.'],
  empty_answer: ['warn', 'The model answered nothing.'],
  rate_limited: ['info', 'The engine asked to wait before it answers.'],
  context_compacted: ['info', 'Earlier messages were summarised, because the conversation no longer fits the model.'],
  results_shortened: [
    'info',
    'Earlier tool results of this answer were shortened for the model, because they no longer fit.',
  ],
  run_interrupted: [
    'warn',
    'The service stopped in the middle of this answer. What it had said is kept; nothing is repeated by itself.',
  ],
  outcome_unknown: [
    'error',
    'A call was under way when it stopped. Nobody can tell whether it took effect: check before you repeat it.',
  ],
  run_cancelled: ['info', 'Stopped.'],
  run_not_approved: ['info', 'Not approved, so nothing was run.'],
  ai_unavailable: ['error', 'The AI engine does not answer.'],
  run_failed: ['error', 'Something went wrong on the server. What was said so far is kept.'],
  quota_used_up: ['warn', 'The quota is used up. What was said so far is kept.'],
  not_permitted: ['error', 'You are no longer permitted to run this.'],
} as const satisfies Record<string, readonly [Notice['level'], string]>

export function runNotice(code: keyof typeof NOTICE_TEXTS, detail: string | null = null): Notice {
  const [level, text] = NOTICE_TEXTS[code]
  return { level, code, text, detail }
}
