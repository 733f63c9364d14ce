import { reachableUrl } from '../certificates/reachable-url.ts'
import type { Config } from '../config.ts'

/** Where people reach the service of these settings. */
export function placeUrl({ publicUrl, tls, host, port }: Config): string {
  return publicUrl ?? reachableUrl(tls.mode === 'off' ? 'http' : 'https', host, port)
}
