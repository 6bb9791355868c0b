import { Glob } from 'bun'

const root = 'test/fixtures/real-answers'

/** Reads every sample in a folder, named by its file and its own name. A new file is picked up automatically. */
export async function samplesIn<Kind>(folder: string): Promise<[name: string, sample: Kind][]> {
  const paths = [...new Glob('*.json').scanSync(`${root}/${folder}`)].sort()
  const files = await Promise.all(
    paths.map(async (path) => {
      const { samples, source, collected } = await Bun.file(`${root}/${folder}/${path}`).json()
      if (!collected) throw new Error(`${path} does not say when it was collected`)
      return samples.map((sample: Kind & { name: string; source?: string }): [string, Kind] => {
        if (!(sample.source ?? source)) throw new Error(`${path}, ${sample.name}: nobody says where it comes from`)
        return [`${folder}/${path}: ${sample.name}`, sample]
      })
    }),
  )
  return files.flat()
}

/** A fake server that returns one recorded response, or the result of `otherwise` for the request. */
export function answering(
  { httpStatus, headers = {}, body }: { httpStatus: number; headers?: Record<string, string>; body: unknown },
  otherwise: (asked: never) => object | null = () => null,
) {
  const asked: unknown[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const text = await request.text()
      const json = text ? JSON.parse(text) : null
      asked.push(json)
      const other = otherwise(json as never)
      return other ? Response.json(other) : Response.json(body, { status: httpStatus, headers })
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, asked, stop: () => server.stop(true) }
}
