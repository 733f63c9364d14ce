/** Systems and programs that keep their own list of trusted authorities; the names of the texts in `help/<language>/certificates`. */
export type CertificateSystem = 'windows' | 'macos' | 'ios' | 'android' | 'debian' | 'fedora' | 'firefox'

/** The one that the reader most likely sits at, by the browser's name for itself; Firefox has a list of its own everywhere but on phones. */
export function ownSystem(userAgent: string, touchPoints = 0): CertificateSystem {
  if (/Android/i.test(userAgent)) return 'android'
  // An iPad calls itself a Mac; no Mac has a screen that can be touched.
  if (/iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && touchPoints > 1)) return 'ios'
  if (/Firefox\//.test(userAgent)) return 'firefox'
  if (/Windows/.test(userAgent)) return 'windows'
  if (/Macintosh/.test(userAgent)) return 'macos'
  if (/Fedora|Red Hat|CentOS|SUSE/i.test(userAgent)) return 'fedora'
  return 'debian'
}
