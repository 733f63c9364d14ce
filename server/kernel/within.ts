/** The value that the promise resolves to within these milliseconds; null when it doesn't, and what it comes to is ignored. */
export async function within<T>(promise: Promise<T>, milliseconds: number): Promise<{ readonly value: T } | null> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, milliseconds, null)
  })
  try {
    return await Promise.race([promise.then((value) => ({ value })), tooLate])
  } finally {
    clearTimeout(timer)
  }
}
