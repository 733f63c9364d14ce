import { spawn, type ChildProcess, type SpawnOptions, type StdioOptions } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { inheritedFiles } from './inherited-files.ts'

/** Starts a program that inherits no file descriptors except those of `stdio`, whatever started the service. */
export function shieldedSpawn(
  program: string,
  args: readonly string[],
  options: Omit<SpawnOptions, 'stdio'> & { readonly stdio: readonly ('pipe' | 'ignore' | 'ipc')[] },
): ChildProcess {
  const stdio: Exclude<StdioOptions, string>[number][] = [...options.stdio]
  const nothing = openSync('/dev/null', 'r')
  try {
    for (const fd of inheritedFiles()) {
      while (stdio.length < fd) stdio.push('ignore')
      if (fd >= options.stdio.length) stdio[fd] = nothing
    }
    return spawn(program, args, { ...options, stdio })
  } finally {
    closeSync(nothing)
  }
}
