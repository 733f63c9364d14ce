/** What is used of oidc-provider, which has no types of its own. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  export interface ProviderClient {
    readonly clientId: string
    readonly clientName?: string
  }
  export interface Interaction {
    readonly params: Readonly<Record<string, unknown>>
    result?: object
    save(ttl: number): Promise<unknown>
  }
  export class Provider {
    /** The request that is answered now. */
    static readonly ctx: { readonly oidc: { readonly route: string } } | undefined
    constructor(issuer: string, configuration: object)
    callback(): RequestListener
    on(event: 'server_error', listener: (context: unknown, error: unknown) => void): void
    readonly Interaction: { find(uid: string): Promise<Interaction | undefined> }
    readonly Client: { find(client_id: string): Promise<ProviderClient | undefined> }
  }
  export default Provider
  export const errors: {
    readonly InvalidGrant: new (detail: string) => Error
    readonly InvalidTarget: new (detail?: string) => Error
  }
}
