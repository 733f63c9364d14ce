import { moduleProgram } from '../../sdk/cli/module-program.ts'
import type { Command } from './command.ts'

const KIT = new URL('../../sdk/kit', import.meta.url).pathname

/** `reeve module …`: the commands of the kit for authors, without unpacking the kit. */
export const moduleCommand: Command = {
  summary: 'validate, pack, inspect, run and test modules',
  usage: 'module validate|pack|inspect|run|test <folder or bundle> …',
  about: 'The same commands as in the kit for authors of modules. reeve module --help lists them.',
  options: {},
  run: async () => ({ code: 0, value: null, text: '' }),
}

/** Takes the words after `reeve module` as they are. Resolves with the exit code. */
export function runModuleCommand(words: readonly string[]): Promise<number> {
  return moduleProgram(words, { program: 'reeve module', kit: KIT })
}
