import { pages } from '../contract/pages.ts'
import type { Handlers } from '../contract/route.ts'

/** Every page is the application itself, which shows what belongs to its address. */
export function pageRoutes(): Handlers<typeof pages> {
  const page = () => undefined
  return Object.fromEntries(Object.keys(pages).map((name) => [name, page])) as unknown as Handlers<typeof pages>
}
