import type { Page } from '@playwright/test';
import type { Endpoint } from '../contracts/endpoint.ts';
import { PASSWORD, type Person } from './people.ts';

/** Both fields of signing in. */
export async function fillSignIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
}

export async function openRegistration(page: Page): Promise<void> {
  await page.goto('/auth');
  await page.getByRole('link', { name: "Don't have an account? Sign up" }).click();
}

/** Every field, rightly. */
export async function fillRegistration(page: Page, { name, username, email }: Person): Promise<void> {
  await page.getByLabel('Full Name').fill(name);
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Confirm Password').fill(PASSWORD);
  await page.getByRole('checkbox').check();
}

/** Lets the call wait for the function it returns, so that what is shown meanwhile can be looked at. */
export async function holdCall(page: Page, { path }: Endpoint): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(path, async (route) => {
    await released;
    await route.continue();
  });
  return () => release();
}
