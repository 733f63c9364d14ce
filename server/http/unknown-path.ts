import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Route } from '../../contract/route.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { notFound, sendProblem } from './answer/problem.ts'
import type { Web } from './web.ts'

/**
 * Every path the server knows, to tell a wrong method from a wrong path. Slow, and consulted only when nothing matched.
 */
export class KnownPaths {
  readonly #routes: { segments: readonly string[]; method: string }[] = []

  add({ path, method }: Route): void {
    this.#routes.push({ segments: path.split('/'), method })
  }

  /** The methods of this path; empty for an unknown path. */
  methodsOf(path: string): string[] {
    const given = path.split('/')
    const methods = new Set<string>()
    for (const { segments, method } of this.#routes) {
      if (segments.length !== given.length) continue
      if (!segments.every((segment, i) => segment === given[i] || (segment.startsWith('{') && given[i] !== '')))
        continue
      methods.add(method)
      if (method === 'GET') methods.add('HEAD')
    }
    return [...methods].sort()
  }
}

/**
 * Answers requests no route matched: a file of the browser interface, 405 for a known path, the application's page with
 * 404 for a person, a problem document for a program.
 */
export async function answerUnknownPath(
  request: FastifyRequest,
  reply: FastifyReply,
  paths: KnownPaths,
  web: Web,
): Promise<FastifyReply> {
  const [encoded = ''] = request.url.split('?', 1)
  const path = decode(encoded)
  const methods = paths.methodsOf(encoded)
  if (methods.length > 0) {
    reply.header('allow', methods.join(', '))
    return sendProblem(reply, new AppError('method_not_allowed', say`Use ${methods.join(' or ')} here.`))
  }
  if (path === null || (request.method !== 'GET' && request.method !== 'HEAD')) return sendProblem(reply, notFound())
  const asset = await web.sendAsset(path, request, reply)
  if (asset !== null) return asset
  const forProgram = path.startsWith('/api/') || path.startsWith('/assets/')
  if (forProgram || request.headers.accept?.includes('text/html') !== true) return sendProblem(reply, notFound())
  try {
    return await web.sendPage(request, reply, 404, null)
  } catch {
    return sendProblem(reply, notFound())
  }
}

function decode(path: string): string | null {
  try {
    return decodeURIComponent(path)
  } catch {
    return null
  }
}
