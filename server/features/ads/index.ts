export { changeAd, createAd, deleteAd, listAllAds, setAdActive } from './ads.ts';
export { type AdForm, receiveAdForm } from './forms.ts';
export { presentAd } from './presenter.ts';
