/**
 * Systems and programs with their own list of trusted authorities; named like the texts in
 * `help/<language>/certificates`.
 */
export type CertificateSystem = 'windows' | 'macos' | 'ios' | 'android' | 'debian' | 'fedora' | 'firefox'

/** The one the reader most likely uses, by the user agent. Firefox has its own list everywhere except on phones. */
export function ownSystem(userAgent: string, touchPoints = 0): CertificateSystem {
  if (/Android/i.test(userAgent)) return 'android'
  // An iPad identifies as a Mac, but no Mac has a touch screen.
  if (/iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && touchPoints > 1)) return 'ios'
  if (/Firefox\//.test(userAgent)) return 'firefox'
  if (/Windows/.test(userAgent)) return 'windows'
  if (/Macintosh/.test(userAgent)) return 'macos'
  if (/Fedora|Red Hat|CentOS|SUSE/i.test(userAgent)) return 'fedora'
  return 'debian'
}
