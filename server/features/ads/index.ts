export { type AdForm, receiveAdForm } from './ad-files.ts';
export { adJobs, changeAd, createAd, deleteAd, setAdActive } from './ads.ts';
export { listAds } from './queries.ts';
export { presentAd } from './shown-ads.ts';
