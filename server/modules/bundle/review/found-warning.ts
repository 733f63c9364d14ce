import type { ModuleWarning } from '../../../../contract/modules.ts'
import type { Sentence } from '../../../kernel/sentence.ts'

/** A warning about a bundle, not yet in anyone's language. */
export interface FoundWarning extends Omit<ModuleWarning, 'message'> {
  readonly message: Sentence
}

export function warningIn(warning: FoundWarning, language: string): ModuleWarning {
  return { ...warning, message: warning.message.in(language) }
}
