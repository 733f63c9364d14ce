import type { Engine, EngineError, ModelAbilities, StepRequest } from '../ports/model.ts'
import type { Step } from '../run/step.ts'
import { PICTURES_REFUSED } from '../history/run-notices.ts'
import { sayNotice } from './say-notice.ts'

/** What an engine is asked for, as far as its model has shown what it takes. */
export interface Fitting {
  readonly engine: Engine
  /** The share of its usual size that a request may have. */
  readonly scale: number
  /** How often it has become smaller. */
  readonly shrunk: number
}

/** Estimates of tokens are no counts: a request that was made to fit may need to shrink once more. */
const SHRINKS = 2

/** How to ask again after this refusal; null: not at all. @throws {LostLease} */
export async function fitted(
  step: Step,
  { engine, scale, shrunk }: Fitting,
  request: StepRequest,
  { code, lesson }: EngineError,
): Promise<Fitting | null> {
  const { abilities, context_tokens } = engine
  if (code === 'engine_context') {
    const limit = lesson !== null && 'context_tokens' in lesson ? lesson.context_tokens : null
    const isNews = limit !== null && context_tokens !== null && limit < context_tokens
    if (isNews) await engine.learn(lesson!)
    // Without a number to go by, half of it is tried once.
    if (shrunk >= (isNews ? SHRINKS : 1)) return null
    const share = isNews && shrunk === 0 ? limit / context_tokens : scale / 2
    return { engine, scale: share, shrunk: shrunk + 1 }
  }
  if (lesson === null || !('lacks' in lesson)) {
    // One picture of a tool that a provider cannot read must not end the run: it does without those of the answer so far, and
    // nothing is learned.
    if (code !== 'engine_refused' || !asksFor(request).tool_pictures) return null
    await sayNotice(step, PICTURES_REFUSED)
    return { engine: { ...engine, abilities: { ...abilities, tool_pictures: false } }, scale, shrunk }
  }
  // Only what was asked for can have been refused.
  const { lacks } = lesson
  if (abilities[lacks] === false || !asksFor(request)[lacks]) return null
  await engine.learn(lesson)
  step.log.info({ run_id: step.run.row.run_id, model: engine.model, lacks }, 'the model is asked without it')
  if (lacks === 'tools') await sayNotice(step, 'engine_no_tools', engine.model)
  return { engine: { ...engine, abilities: { ...abilities, [lacks]: false } }, scale, shrunk }
}

function asksFor({ tools, messages }: StepRequest): Record<keyof ModelAbilities, boolean> {
  const tool_pictures = messages.some(
    (message) => message.role === 'tool' && message.results.some(({ pictures = [] }) => pictures.length > 0),
  )
  const pictures = messages.some(
    (message) => message.role === 'user' && message.content.some(({ type }) => type === 'image'),
  )
  return { tools: tools.length > 0, tool_pictures, pictures: pictures || tool_pictures }
}
