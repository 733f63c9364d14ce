import { z } from 'zod'

/** Modules, by name, whose tools may be used; none of them need exist. */
export const ToolModules = z.array(z.string().min(1).max(100)).max(200)
