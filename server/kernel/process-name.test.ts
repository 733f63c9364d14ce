import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, expect, test } from 'vitest'
import { hasProcessEnded, nameThisProcess } from './process-name.ts'

const SAY_NAME = `import { nameThisProcess } from '${new URL('./process-name.ts', import.meta.url).href}'
  console.log(nameThisProcess()); setInterval(() => {}, 1000)`

describe('the name of a process', () => {
  test('holds while it runs, and no longer', async () => {
    await using other = await named([process.execPath, '--input-type=module', '-e', SAY_NAME])
    expect(hasProcessEnded(other.name)).toBe(false)
    other.child.kill('SIGKILL')
    await once(other.child, 'exit')
    expect(hasProcessEnded(other.name)).toBe(true)
  })

  test('one that ended and was not asked for its exit code has ended', async () => {
    // The shell becomes a program that never reaps its child, like a container without an init.
    const script = `"$0" --input-type=module -e "$1" & echo $!; exec sleep 600`
    await using other = await named(['/bin/sh', '-c', script, process.execPath, SAY_NAME])
    expect(hasProcessEnded(other.name)).toBe(false)
    process.kill(Number(other.name.split('/')[2]), 'SIGKILL')
    await expect.poll(() => hasProcessEnded(other.name)).toBe(true)
  })

  test('a number that was given out again names another process', () => {
    const [boot, space, pid, , random] = nameThisProcess().split('/')
    expect(hasProcessEnded([boot, space, pid, '1', random].join('/'))).toBe(true)
  })

  test('nothing is known of other machines, other containers, and names of earlier versions', () => {
    const [boot, space, , started, random] = nameThisProcess().split('/')
    expect(hasProcessEnded(['other', space, '4194303', started, random].join('/'))).toBe(false)
    expect(hasProcessEnded([boot, 'pid:[1]', '4194303', started, random].join('/'))).toBe(false)
    expect(hasProcessEnded('host/4194303/abcdef')).toBe(false)
    expect(hasProcessEnded(nameThisProcess())).toBe(false)
  })
})

/** Starts a program and reads the name from its output. */
async function named([program, ...args]: string[]): Promise<{ name: string; child: ChildProcess } & AsyncDisposable> {
  const child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  let name = ''
  for await (const line of lines) if ((name = line).includes('/')) break
  return {
    name,
    child,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
