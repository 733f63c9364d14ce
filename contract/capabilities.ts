import { z } from 'zod'

/**
 * What a module may reach besides its own folders. `network`: none, `any`, or hosts: a name (`*.example.com` too) or an
 * address, with `:port` for this port alone and `private:` before a name that may lead into a private network.
 * `${user_config.KEY}` is the host in this setting, whatever it is set to.
 */
export const Capabilities = z.strictObject({
  network: z.union([z.literal('none'), z.literal('any'), z.array(z.string().min(1).max(253)).max(100)]),
  folders: z.array(z.strictObject({ path: z.string().min(1).max(1000), write: z.boolean() })).max(100),
  /** Programs it may start, by name; only `guarded` and better levels can block others. */
  commands: z.array(z.string().min(1).max(200)).max(100),
  /** Reeve may call tools of the module by itself: to preview a call before it is approved, and to verify it after. */
  helpers: z.boolean().optional(),
})
export type Capabilities = z.infer<typeof Capabilities>
