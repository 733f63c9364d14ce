import { ABLE, type Engine } from '../../chat/ports/model.ts'
import type { ProcedurePlan } from '../../chat/ports/procedures.ts'
import { say } from '../../kernel/sentence.ts'

/**
 * The engine that carries out a reviewed procedure: its next step is exactly the call that was reviewed, with the values of
 * the run. It reads no message and no result, so nothing that they hold changes what comes next.
 */
export function procedureEngine({ steps }: ProcedurePlan, done: number): Engine {
  return {
    ai_mode: 'direct',
    engine_id: null,
    name: null,
    model: null,
    context_tokens: null,
    price: null,
    ...ABLE,
    async *step({ language }, signal) {
      signal.throwIfAborted()
      const step = steps[done]
      if (step === undefined) {
        yield { type: 'text', text: say`All steps are done: ${steps.length}.`.in(language) }
        yield { type: 'finish', reason: 'stop', input_tokens: 0, output_tokens: 0 }
        return
      }
      const place = say`Step ${done + 1} of ${steps.length}`.in(language)
      yield { type: 'text', text: step.note === '' ? `**${place}**` : `**${place}:** ${plain(step.note)}` }
      const { module, tool, arguments: input } = step
      const call_id = `procedure_${done + 1}`
      yield { type: 'call', call_id, name: `${module}.${tool}`, input, malformed: null, provider: null }
      yield { type: 'finish', reason: 'calls', input_tokens: 0, output_tokens: 0 }
    },
  }
}

/** A note is words, whatever Markdown would make of them. */
function plain(note: string): string {
  return note.replace(/[\\`*_[\]<>|#~!]/g, '\\$&')
}
