-- only this;
/* and this; */
