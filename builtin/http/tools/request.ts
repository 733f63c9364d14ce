import { z } from 'zod'
import { tool } from '../../tool.ts'
import { answerReport } from '../content/answer-report.ts'
import type { HttpSettings } from '../http-settings.ts'
import { sendRequest } from '../request/send-request.ts'

/** Headers that belong to the connection and not to the caller. */
const OURS =
  /^(host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect|keep-alive|proxy-.*|sec-.*)$/i

/** Sends any request, which may change something on the other side. */
export const requestTool = (settings: HttpSettings) =>
  tool({
    name: 'request',
    title: 'Send a request',
    description:
      'Sends an HTTP request with any method, headers and body to a web API, and gives the answer as "fetch" does. Use "fetch" for plain reading. Give either "json" or ' +
      '"body". Keys and passwords belong into the settings of this module, where an administrator ties them to a host; do not write them here.',
    effect: 'destructive',
    open_world: true,
    input: z.strictObject({
      url: z.string().min(1).max(4000),
      method: z
        .string()
        .regex(/^[A-Z]{1,20}$/, 'Upper-case letters, such as POST')
        .default('POST'),
      headers: z.record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/), z.string().max(4000)).optional(),
      json: z.unknown().optional().describe('Sent as JSON'),
      body: z.string().max(1_000_000).optional().describe('Sent as it is; name its type in the header content-type'),
      as: z.enum(['auto', 'source', 'file']).default('auto'),
    }),
    summary: 'Sends {method} to {url}[ with the body {body}][ with the data {json}][ with headers {headers}]',
    async run({ url, method, headers: given = {}, json, body, as }, { signal }) {
      if (['CONNECT', 'TRACE', 'TRACK'].includes(method)) throw new Error(`The method ${method} is not allowed.`)
      if (json !== undefined && body !== undefined) throw new Error('Give either "json" or "body".')
      const content = json === undefined ? (body ?? null) : JSON.stringify(json)
      if (content !== null && (method === 'GET' || method === 'HEAD'))
        throw new Error(`A ${method} request has no body.`)
      const headers = new Headers()
      for (const [name, value] of Object.entries(given)) {
        if (OURS.test(name)) throw new Error(`The header ${name} cannot be set.`)
        if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
          throw new Error(`The value of the header ${name} has characters that a header cannot have.`)
        headers.set(name, value)
      }
      if (json !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json')
      const answer = await sendRequest(
        { url, method, headers: Object.fromEntries(headers), body: content },
        settings,
        signal,
      )
      return answerReport(answer, as, settings)
    },
  })
