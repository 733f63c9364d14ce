import { useEffect, useState } from 'react'

/** A module that is loaded when it is first wanted. */
export interface Later<M> {
  /** Loads it, once however often it is asked for; rejects when it can't be had. */
  load(): Promise<M>
  /** Null until it is loaded. */
  now(): M | null
}

export function later<M>(load: () => Promise<M>): Later<M> {
  let module: M | null = null
  return { load: async () => (module ??= await load()), now: () => module }
}

/**
 * The module, and null until it is loaded, which this begins as soon as it is `wanted`. Unlike `lazy` of React, what is
 * loaded already is rendered at once: `lazy` always shows the fallback first, and React leaves a fallback for at least
 * 300 ms. A failure is the page's, unless the module is `optional`: then it stays null.
 */
export function useLater<M>(part: Later<M>, { wanted = true, optional = false } = {}): M | null {
  const [, render] = useState(0)
  const module = part.now()
  const missing = wanted && module === null
  useEffect(() => {
    if (!missing) return undefined
    let gone = false
    part.load().then(
      () => gone || render((count) => count + 1),
      (error: unknown) => {
        if (gone || optional) return
        render(() => {
          throw error
        })
      },
    )
    return () => {
      gone = true
    }
  }, [part, missing, optional])
  return wanted ? module : null
}
