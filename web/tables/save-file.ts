/** Gives bytes to the browser as a download with this name. */
export function saveFile(name: string, bytes: Blob): void {
  const address = URL.createObjectURL(bytes)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The download has begun, but the browser may still read from it.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
