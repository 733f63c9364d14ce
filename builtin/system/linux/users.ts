import { readKernelFile } from './proc.ts'

/** Names of the local accounts by user id; an id without an account (LDAP, a container's) stays a number. */
export function readUserNames(): Map<number, string> {
  const names = new Map<number, string>()
  for (const line of (readKernelFile('/etc/passwd') ?? '').split('\n')) {
    const [name, , uid] = line.split(':')
    if (name && uid && !names.has(Number(uid))) names.set(Number(uid), name)
  }
  return names
}
