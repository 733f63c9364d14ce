import { networkInterfaces } from 'node:os'

/** An address under which other machines reach what listens on `host`, which may stand for all addresses. */
export function reachableUrl(scheme: 'http' | 'https', host: string, port: number): string {
  const reached = host === '0.0.0.0' || host === '::' ? (firstAddress() ?? '127.0.0.1') : host
  return `${scheme}://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}

function firstAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address
}
