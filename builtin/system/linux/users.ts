/** Names of the accounts of /etc/passwd by user id; an id without one (LDAP, a container's) stays a number. */
export function parseUserNames(text: string | null): Map<number, string> {
  const names = new Map<number, string>()
  for (const line of (text ?? '').split('\n')) {
    const [name, , uid] = line.split(':')
    if (name && uid && !names.has(Number(uid))) names.set(Number(uid), name)
  }
  return names
}
