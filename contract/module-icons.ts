import { z } from 'zod'
import { ModuleParams } from './module-values.ts'
import { route } from './route.ts'

/** A part of `modules`. */
export const moduleIcons = {
  picture: route({
    method: 'GET',
    path: '/api/modules/{module_name}/icons/{digest}',
    summary: 'A picture that a running module gives itself or its tools (PNG, JPEG, WebP or GIF)',
    access: 'session',
    params: ModuleParams.extend({ digest: z.string().regex(/^[0-9a-f]{64}$/) }),
    response: { kind: 'file', disposition: 'inline', cache: 'private, max-age=31536000, immutable' },
    errors: ['not_found'],
  }),
}
