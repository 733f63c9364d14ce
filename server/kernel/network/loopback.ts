/** Whether a host name or address (without brackets) is this very machine, so that nothing sent there leaves it. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
}
