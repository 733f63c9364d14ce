import { join } from 'node:path'
import type { Command } from './command.ts'

const KIT = join(import.meta.dirname, '../../sdk/kit')

/** `reeve module …`: the commands of the author kit, without unpacking the kit. */
export const moduleCommand: Command = {
  summary: 'validate, pack, inspect, run and test modules',
  usage: 'module validate|pack|inspect|run|test <folder or bundle> …',
  about: 'The same commands as in the module author kit. reeve module --help lists them.',
  actions: ['validate', 'pack', 'inspect', 'run', 'test'],
  options: {},
  run: async () => ({ code: 0, value: null, text: '' }),
}

/** Passes on the words after `reeve module` unchanged. Resolves with the exit code. */
export async function runModuleCommand(words: readonly string[]): Promise<number> {
  const { moduleProgram } = await import('../../sdk/cli/module-program.ts')
  return moduleProgram(words, { program: 'reeve module', kit: KIT })
}
