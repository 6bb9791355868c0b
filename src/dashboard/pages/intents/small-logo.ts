import { logoCharsMax } from '../../../domain/tenant/deposit-page'

/** Twice the size in which the page shows it, for sharp screens. */
const most = { width: 320, height: 80 }
const shrink = 0.7

async function pictureIn(file: File): Promise<HTMLImageElement> {
  const read = new FileReader()
  const url = await new Promise<string>((resolve, reject) => {
    read.onload = () => resolve(String(read.result))
    read.onerror = () => reject(read.error)
    read.readAsDataURL(file)
  })
  const picture = Object.assign(new Image(), { src: url })
  await picture.decode()
  return picture
}

/**
 * Draws a picture as a small PNG, and returns it as a `data:` URL. Only the drawing leaves this page, no script of an
 * SVG.
 */
export async function smallLogo(file: File): Promise<string> {
  const picture = await pictureIn(file).catch(() => null)
  const { naturalWidth: width = 0, naturalHeight: height = 0 } = picture ?? {}
  if (!picture || width * height === 0) throw new Error('This file is not a picture that can be shown.')
  for (let scale = Math.min(1, most.width / width, most.height / height); ; scale *= shrink) {
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { width: Math.max(1, width * scale), height: Math.max(1, height * scale) })
    canvas.getContext('2d')!.drawImage(picture, 0, 0, canvas.width, canvas.height)
    const url = canvas.toDataURL('image/png')
    if (url.length <= logoCharsMax) return url
  }
}
