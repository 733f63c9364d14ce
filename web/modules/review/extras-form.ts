import type { LaunchExtras, WantedExtras } from '../../../contract/modules.ts'

/** What is added to a launch, as edited: an argument a line; `NAME=value` a line, or `NAME` for a value that stays. */
export interface ExtrasForm {
  readonly args: string
  readonly env: string
}

export function extrasForm({ args, env }: LaunchExtras): ExtrasForm {
  return { args: args.join('\n'), env: env.join('\n') }
}

/** Empty lines are left out; a value is taken as it is, spaces included. */
export function extrasOf({ args, env }: ExtrasForm): WantedExtras {
  return {
    args: lines(args),
    env: lines(env).map((line) => {
      const equals = line.indexOf('=')
      return equals === -1
        ? { name: line.trim() }
        : { name: line.slice(0, equals).trim(), value: line.slice(equals + 1) }
    }),
  }
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}
