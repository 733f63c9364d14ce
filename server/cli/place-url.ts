import { reachableUrl } from '../certificates/reachable-url.ts'
import type { Config } from '../app/config.ts'

/** The address at which the service with these settings is reached. */
export function placeUrl({ publicUrl, tls, host, port }: Config): string {
  return publicUrl ?? reachableUrl(tls.mode === 'off' ? 'http' : 'https', host, port)
}
