import { z } from 'zod'
import type { OwnerQuestions } from '../ownership/owner-inquiry.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import { diagnoseHere } from './diagnostics.ts'
import { probeHere } from './health.ts'
import { renewFiles } from './install/repair-module.ts'

const Asked = z.object({ language: z.string() })

/** What other processes ask the owner of a module, because only it has the processes and files of that module. */
export function ownerAnswers(context: CatalogueContext): OwnerQuestions {
  return {
    /** Whoever asks has changed rows: they count from now on. */
    async start(module) {
      await context.refresh()
      await context.host.started(module)
      return true
    },
    async repair(module) {
      await renewFiles(context, module)
      return true
    },
    health: (module, request) => probeHere(context, context.record(module), Asked.parse(request).language),
    diagnose: (module, request) => diagnoseHere(context, context.record(module), Asked.parse(request).language),
  }
}
