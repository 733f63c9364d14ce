/** Offers bytes as a download with this name. */
export function saveFile(name: string, bytes: Blob): void {
  const address = URL.createObjectURL(bytes)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The download has started, but the browser may still be reading from the URL.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
