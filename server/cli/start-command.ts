import { type Command, UsageProblem } from './command.ts'

/** `reeve start`: the launcher itself runs the service; this describes the command and refuses arguments. */
export const startCommand: Command = {
  summary: 'run the service until SIGTERM',
  usage: 'start',
  about: `Settings come from the environment and from the file .env in the program folder; docs/configuration.md lists them all. If the
service cannot start, the exit code is 1 and one line says why.`,
  options: {},
  run: async () => {
    throw new UsageProblem('start takes no arguments: settings come from the environment and from .env.')
  },
}
